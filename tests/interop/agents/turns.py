"""Scenes about everything but a single call: session start, prompt, end of turn, subagents.

Also hooks that cannot run at all. Each function returns {name: (outcome, lines)}, as in `calls.py`.
"""

from bench import IDLE, PROMPT, Run, ready
from calls import on_command
from model import MOST, SUBTASK
from wires import Say

START = 'on("session_start", function() return { context = "CONTEXT-OF-START" } end)\n'
ASKED = 'on("user_prompt", function() return { context = "CONTEXT-OF-PROMPT" } end)\n'
STOPPED = 'on("user_prompt", function() return { block = true, reason = "REASON-OF-PROMPT" } end)\n'
ON_AND_ON = 'on("agent_end", function() return { continue_with = "GO-ON-MARK" } end)\n'


def texts(bench, agent, names):
    """Hooks for the session's start and for the prompt add text to the first request."""
    run = ready(bench, agent, "texts", start=START, prompt=ASKED)
    run.drive([[agent.shell(f"touch {run.place.proof}/texts")]])
    asked = run.model.of("main")

    def outcome(text):
        if not asked:
            return "the model was not asked"
        return "yes" if text in asked[0].text else "later" if run.model.read(text) else "no"

    found = {"context-start": outcome("CONTEXT-OF-START"), "context-prompt": outcome("CONTEXT-OF-PROMPT")}
    return {name: (found[name], run.told()) for name in names}


def alone(bench, agent, names):
    """A hook for calls adds a text for the model, and there is no hook for results."""
    run = ready(bench, agent, "context-call-alone", call=on_command("alone", 'return { context = "CONTEXT-OF-CALL" }'))
    run.drive([[agent.shell(f"touch {run.place.proof}/alone")], [agent.shell(f"touch {run.place.proof}/next")]])
    asked = run.model.of("main")
    if not run.place.proven("alone"):
        outcome = "did not run"
    elif len(asked) > 1 and "CONTEXT-OF-CALL" in asked[1].text:
        outcome = "yes"
    else:
        outcome = "later" if run.model.read("CONTEXT-OF-CALL") else "no"
    return {"context-call-alone": (outcome, run.told())}


def continues(bench, agent, names):
    """A hook continues at every end of a turn. The outcome is the number of continuations."""
    run = ready(bench, agent, "continue", end=ON_AND_ON).drive([])
    asked = run.model.of("main")
    if not asked:
        outcome = "the model was not asked"
    elif len(asked) > 1 and not run.model.read("GO-ON-MARK"):
        outcome = "goes on without the text"
    elif len(asked) >= MOST:
        outcome = "ENDLESS"
    else:
        outcome = str(len(asked) - 1)
    return {"continue": (outcome, run.told())}


def prompt_block(bench, agent, names):
    """A hook blocks the prompt: the model is not asked, and the person reads the reason."""
    run = ready(bench, agent, "prompt-block", prompt=STOPPED).drive([])
    if any(PROMPT in one.text for one in run.model.of("main", "side")):
        outcome = "SENT"
    else:
        outcome = "yes" if "REASON-OF-PROMPT" in run.ended.out else "yes, without the reason"
    return {"prompt-block": (outcome, run.told())}


def subagent(bench, agent, names):
    """A subagent makes two calls. One runs, one is blocked."""
    run = ready(bench, agent, "subagent", sub=on_command("sub-blocked", 'return { block = true, reason = "REASON-IN-SUBAGENT" }'))
    proof = run.place.proof

    def then(asked):
        waits = agent.await_task(asked)
        return [waits or Say("done")]

    run.drive([[agent.task(f"{SUBTASK}: do as you are told.")], then], [[agent.shell(f"touch {proof}/sub-{kind}")] for kind in ("fine", "blocked")])
    sub = run.model.of("sub")
    if run.place.proven("sub-blocked"):
        outcome = "RAN"
    elif not sub:
        outcome = "no subagent was started"
    elif not run.place.proven("sub-fine"):
        outcome = "did not run"
    else:
        outcome = "yes" if run.model.read("REASON-IN-SUBAGENT", "sub") else "yes, without the reason"
    return {"subagent": (outcome, run.told())}


def claude_settings(bench, agent, names):
    """Snaphook is registered with Claude Code only. Tells if this agent runs Claude Code's hooks."""
    run = Run(bench, agent, "claude-settings")
    run.hook("block", on_command("claude-settings", 'return { block = true, reason = "REASON-OF-BLOCK" }'))
    run.lay()
    for where in ("--user", "--project"):
        run.snaphook("install", "claude-code", where)
    run.drive([[agent.shell(f"touch {run.place.proof}/claude-settings")]])
    outcome = "no" if run.place.proven("claude-settings") else "yes" if run.model.read("REASON-OF-BLOCK") else "did not run"
    return {"claude-settings": (outcome, run.told())}


def without(name, break_it, word):
    """Makes a scene in which hooks cannot run. The model reads `word`."""

    def scene(bench, agent, names):
        run = ready(bench, agent, name)
        break_it(run)
        run.drive([[agent.shell(f"touch {run.place.proof}/{name}")]])
        asked = run.model.of("main")
        if run.place.proven(name):
            outcome = "RAN"
        else:
            # If prompts are gated, the prompt is denied already and the model is not asked.
            outcome = "denied" if not asked or run.model.read(word) else "denied, without why"
        return {name: (outcome, run.told())}

    return scene


unloadable = without("unloadable", lambda run: run.hook("torn", 'on("tool_call", function('), "torn.lua")
untrusted = without("untrusted", lambda run: run.hook("theirs", IDLE, project=True), "snaphook trust")
