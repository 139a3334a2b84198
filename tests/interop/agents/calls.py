"""Scenes about one tool call: a hook, the calls that the model makes, and the outcome.

They share one run where the agent goes on after a denial. An outcome is a word or two, compared with
`expected.py`. "RAN" means that a call ran that should not have.
"""

from bench import IDLE, Run


def on_command(mark, answer):
    """Returns a hook for shell commands that contain this mark."""
    return f'on("tool_call", {{ tool = "bash" }}, function(event)\n  if event.command:find("/{mark}", 1, true) then {answer} end\nend)\n'


class Seen:
    """Evidence of one scene in a run. `step` is the index of its first call in the model's answers."""

    def __init__(self, run, step):
        self.run = run
        self.step = step
        self.ran = run.place.proven
        self.read = run.model.read

    def made(self):
        """Tells if the model made the call."""
        return len(self.run.model.of("main")) > self.step

    def at_once(self, text, call=0):
        """Tells if the model read this in the request after the call, and not before."""
        asked = self.run.model.of("main")
        when = next((index for index, one in enumerate(asked) if text in one.text), None)
        return when == self.step + call + 1


class Scene:
    name = ""
    hook = ""
    mcp = False
    # A denied call ends the run in some agents, a question in others.
    denies = False
    asks = False

    def calls(self, agent, proof):
        return [agent.shell(f"touch {proof}/{self.name}")]

    def outcome(self, seen):
        raise NotImplementedError


class Runs(Scene):
    """No hook objects: the call runs, and the model reads its output. The other scenes rest on this."""

    name = "runs"

    def calls(self, agent, proof):
        return [agent.shell(f"touch {proof}/runs && expr 6000 + 7")]

    def outcome(self, seen):
        if not seen.ran("runs"):
            return "did not run"
        return "yes" if seen.read("6007") else "output lost"


class CallContext(Scene):
    """A text for the model, from a hook for the call."""

    name = "context-call"
    hook = on_command("context-call", 'return { context = "CONTEXT-OF-CALL" }')

    def outcome(self, seen):
        return "did not run" if not seen.ran(self.name) else in_time(seen, "CONTEXT-OF-CALL")


class ResultContext(Scene):
    """A text for the model, from a hook for the result."""

    name = "context-result"
    hook = '''on("tool_result", { tool = "bash" }, function(event)
  if event.command:find("/context-result", 1, true) then return { context = "CONTEXT-OF-RESULT" } end
end)
'''

    def outcome(self, seen):
        return "did not run" if not seen.ran(self.name) else in_time(seen, "CONTEXT-OF-RESULT")


def in_time(seen, text):
    if seen.at_once(text):
        return "yes"
    return "later" if seen.read(text) else "no"


class Denies(Scene):
    """A scene with one call that must not run."""

    denies = True
    # What the model should read of why.
    reason = ""
    denied = "yes"
    missing = "yes, without the reason"

    def outcome(self, seen):
        if seen.ran(self.name):
            return "RAN"
        return self.denied if seen.read(self.reason) else self.missing


class Block(Denies):
    """A hook blocks: the call does not run, and the model reads the reason."""

    name = "block"
    reason = "REASON-OF-BLOCK"
    hook = on_command("block", f'return {{ block = true, reason = "{reason}" }}')


class BlockBare(Denies):
    """A hook blocks without a reason. Claude Code ignores a denial that has none."""

    name = "bare-block"
    hook = on_command("bare-block", "return { block = true }")


class Rewrite(Scene):
    """A hook rewrites the command: only the new one runs."""

    name = "rewrite"

    @property
    def hook(self):
        return on_command("rewrite-from", 'return { command = (event.command:gsub("rewrite%-from", "rewrite-to")) }')

    def calls(self, agent, proof):
        return [agent.shell(f"touch {proof}/rewrite-from")]

    def outcome(self, seen):
        if seen.ran("rewrite-from"):
            return "RAN"
        if seen.ran("rewrite-to"):
            return "yes"
        return "denied, with the input" if seen.read("rewrite-to") else "denied"


class Hold(Scene):
    """A hook holds a program by the kernel: the folder stays, the model reads why, and the next call works."""

    name = "hold"
    hook = '''on("tool_call", { tool = "bash", command = "rmtree" }, function(event)
  return { hold = { deny_write = { event.command:match("'(/[^']+/held)'") } } }
end)
'''

    def calls(self, agent, proof):
        remove = f"python3 -c \"import shutil; shutil.rmtree('{proof}/held')\""
        return [agent.shell(f"mkdir -p {proof}/held/kept"), agent.shell(remove), agent.shell(f"touch {proof}/after-held")]

    def outcome(self, seen):
        if not seen.ran("held/kept"):
            return "RAN"
        after = "" if seen.ran("after-held") else ", and the next call did not run"
        if seen.read("ran this command held by the kernel"):
            return "yes" + after
        if seen.read("Read-only file system"):
            return "yes, without the note" + after
        return ("denied, with the input" if seen.read("hold --policy") else "denied") + after


class Redact(Scene):
    """A hook removes a secret from a result: the model never reads it."""

    name = "redact"
    tool = "bash"
    # It is in a file only, never in what the model says.
    secret = "SECRET-a1b2c3d4"
    then = ""

    @property
    def hook(self):
        return f'''on("tool_result", {{ tool = "{self.tool}" }}, function(event)
  if event.content:find("{self.secret}", 1, true) then
    return {{ content = (event.content:gsub("{self.secret.replace('-', '%-')}", "OUT-OF-{self.name}-END")) }}
  end
end)
'''

    def calls(self, agent, proof):
        return [agent.shell(f"cat {proof}/../{self.name}.txt{self.then}")]

    def outcome(self, seen):
        told = seen.read(f"OUT-OF-{self.name}-END")
        if seen.read(self.secret):
            return "no, told to forget it" if told else "no"
        return "yes" if told else "hidden"


class RedactFailed(Redact):
    """The same for a command that fails."""

    name = "redact-failed"
    secret = "SECRET-c3d4e5f6"
    then = " && false"


class RedactMcp(Redact):
    """The same for a tool of an MCP server."""

    name = "redact-mcp"
    tool = "mcp__*"
    secret = "SECRET-e5f6a7b8"
    mcp = True

    def calls(self, agent, proof):
        return [agent.note("show")]


class Ask(Scene):
    """A hook asks, and there is no person to answer."""

    name = "ask"
    denies = asks = True
    hook = on_command("ask", 'return { ask = "QUESTION-OF-HOOK" }')

    def outcome(self, seen):
        if seen.ran("ask"):
            return "RAN"
        if len(seen.run.model.of("main")) <= seen.step + 1:
            return "denied, and the run ends"
        return "denied" if seen.read("QUESTION-OF-HOOK") else "denied, without the question"


class Raises(Denies):
    """A hook that raises an error."""

    name = "raises"
    reason = "RAISED-BY-HOOK"
    denied = "denied"
    missing = "denied, without the error"
    hook = on_command("raises", f'error("{reason}")')


class Mcp(Scene):
    """A tool of an MCP server, matched by its canonical name: one call runs, one is blocked."""

    name = "mcp"
    mcp = True
    denies = True
    hook = '''on("tool_call", { tool = "mcp__*" }, function(event)
  if event.input.text == "blocked" then return { block = true, reason = "REASON-OF-MCP for " .. event.tool } end
end)
'''

    def calls(self, agent, proof):
        return [agent.note("fine"), agent.note("blocked")]

    def outcome(self, seen):
        if seen.ran("mcp-blocked"):
            return "RAN"
        if not seen.ran("mcp-fine"):
            return "did not run"
        name = seen.run.agent.mcp_seen
        if not seen.read("REASON-OF-MCP"):
            return "yes, without the reason"
        return "yes" if seen.read(f"REASON-OF-MCP for {name}") else "yes, by another name"


# Denials come last, because a text that waits for the model would be sent with them.
ALL = [Runs(), CallContext(), ResultContext(), Rewrite(), Hold(), Redact(), RedactFailed(), RedactMcp(), Block(), BlockBare(), Ask(), Raises(), Mcp()]


def run(bench, agent, names):
    """Runs these scenes. Returns {name: (outcome, lines)}; the lines are details for a difference."""
    scenes = [scene for scene in ALL if scene.name in names]
    found = {}
    alone = [scene for scene in scenes if scene.asks or scene.denies and agent.ends_at_denial]
    for group in [[scene for scene in scenes if scene not in alone], *([scene] for scene in alone)]:
        if not group:
            continue
        one = Run(bench, agent, "calls" if len(group) > 1 else group[0].name, mcp=any(scene.mcp for scene in group))
        for secret in (Redact(), RedactFailed(), RedactMcp()):
            one.place.write(one.place.in_project(f"{secret.name}.txt"), f"name = x\n{secret.secret}\nend\n")
        main, begins = [], {}
        for scene in group:
            begins[scene.name] = len(main)
            main += [[call] for call in scene.calls(agent, one.place.proof)]
            if scene.hook:
                one.hook(scene.name, scene.hook)
        one.hook("idle", IDLE)
        one.install()
        one.drive(main)
        for scene in group:
            seen = Seen(one, begins[scene.name])
            outcome = scene.outcome(seen) if seen.made() else "the call was not made"
            found[scene.name] = (outcome, one.told())
    return found
