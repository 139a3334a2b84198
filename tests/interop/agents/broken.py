"""Scenes that replace the snaphook program with something broken while the agent runs.

Each kind of failure gets a tool call of its own. The program is replaced before the model makes it.
"""

import os
import shutil
import time

from bench import ready

# The beginning of an answer, and an answer that allows the call in the form of most agents.
HALF = '{"decision":"allow","hookSpecificOutput":{"permissionDecision":"al'
ALLOW = '{"decision":"allow","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'


def script(text):
    return f"#!/bin/sh\n{text}\n".encode()


def say(text, then):
    return script(f"printf %s '{text}'\n{then}")


# The content of the file, or a function that makes it.
WAYS = {
    "missing": lambda path: None,
    "empty": b"",
    "not executable": lambda path: write(path, script("exit 0"), 0o600),
    "a folder": os.mkdir,
    "a link to nothing": lambda path: os.symlink("gone", path),
    "a link to itself": lambda path: os.symlink(os.path.basename(path), path),
    "no interpreter": b"#!/nowhere/sh\nexit 0\n",
    "no program": bytes(range(1, 256)) * 40,
    **{f"exit {code}": script(f"exit {code}") for code in (0, 1, 2, 3, 126, 127, 255)},
    **{f"ended by {name}": script(f"kill -{name} $$\nexit 0") for name in ("SEGV", "ABRT", "KILL", "TERM", "PIPE")},
    "garbage": say("no answer at all", "exit 0"),
    "braces": say("{}", "exit 0"),
    "an allow": say(ALLOW, "exit 0"),
    "an allow, exit 1": say(ALLOW, "exit 1"),
    "half an answer": say(HALF, "exit 0"),
    "half an answer, killed": say(HALF, "kill -KILL $$"),
    "half an answer, crashed": say(HALF, "kill -SEGV $$"),
    "an allow, killed": say(ALLOW, "kill -KILL $$"),
    "standard error": script("echo no answer at all >&2\nexit 0"),
    "4 MB of text": script("head -c 4000000 /dev/zero | tr '\\\\0' x\nexit 0"),
}
# Seconds that agents are told to wait for a hook, and seconds that the hanging program takes.
WAIT = 3
HANGS = 30


def write(path, content, mode=0o700):
    with open(path, "wb") as file:
        file.write(content)
    os.chmod(path, mode)


def put(run, way):
    """Replaces snaphook. The old file may be running, so it is removed, not written to."""
    path = run.place.program
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.remove(path)
    if callable(way):
        way(path)
    else:
        write(path, way)
    if run.agent.serves:
        # The process that runs already is the real snaphook. Its parent must have noticed the end of it
        # before the next call.
        ended = run.place.end_strays(lambda pid: serving(pid, path))
        while any(os.path.exists(f"/proc/{pid}") for pid in ended):
            time.sleep(0.01)


def serving(pid, path):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
    except OSError:
        return False
    return words[:2] == [os.fsencode(path), b"serve"]


def step(run, number, way):
    def answer(_):
        put(run, way)
        return [run.agent.shell(f"touch {run.place.proof}/way-{number}")]

    return answer


# Of how many ways one is tried, where few are and each takes a run of its own.
FEW = 6


def ways_of(bench, agent):
    """All ways; where few are wanted, and the agent has to be started for each, others with each agent."""
    each_alone = agent.ends_at_denial or agent.ends_when_broken
    ways = list(WAYS.items())
    if bench.few and each_alone:
        ways = ways[sum(map(ord, agent.name)) % FEW::FEW]
    return ways, each_alone


def all_denied(tried):
    return f"denied, all {tried}" if tried == len(WAYS) else f"denied, {tried} of {len(WAYS)}"


def broken(bench, agent, names):
    """Tries all ways, in one run where the agent goes on after a denial, else in a run for each."""
    ways, each_alone = ways_of(bench, agent)
    tried, ran, told = 0, [], []
    for group in [[number] for number in range(len(ways))] if each_alone else [range(len(ways))]:
        run = ready(bench, agent, "broken")
        run.drive([step(run, number, ways[number][1]) for number in group], limit=2 * agent.limit)
        tried += min(len(run.model.of("main")), len(group))
        ran += [ways[number][0] for number in group if run.place.proven(f"way-{number}")]
        told = run.told()
    if tried < len(ways):
        outcome = f"{tried} of {len(ways)} were tried"
    else:
        outcome = "RAN: " + ", ".join(ran) if ran else all_denied(len(ways))
    return {"broken": (outcome, told)}


def hang(bench, agent, names):
    """Tries a program that hangs for longer than the agent waits."""
    run = ready(bench, agent, "hang")
    hangs = HANGS if agent.wait(run.place, WAIT) else agent.waits + 5
    run.drive([step(run, 0, script(f"exec sleep {hangs}"))])
    outcome = "RAN" if run.place.proven("way-0") else "denied"
    if run.answered(0) >= hangs:
        outcome += ", when it was over"
    return {"hang": (outcome, run.told())}
