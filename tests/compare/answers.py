#!/usr/bin/env python3
"""Compares the answers of two builds of snaphook: every payload of every agent's fixtures, under hooks that allow, deny,
ask, rewrite, add text, withhold, fail, and under none. They must agree in everything but texts.

    tests/compare/answers.py OLD NEW [--agent AGENT]

Exit codes: 0 they agree, 1 they differ.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FIXTURES = Path(__file__).parent / "../../crates/snaphook-adapters/tests/fixtures"

EVERY_EVENT = """
for _, event in { "session_start", "user_prompt", "tool_result", "agent_end", "subagent_end", "session_end",
    "permission_request", "iteration_start", "iteration_end", "iteration_error", "notification" } do
  pcall(on, event, function(e, ctx) %s end)
end
"""

# What a folder of hooks has in it, by the name of the set.
HOOKS = {
    "none": {},
    "silent": {"a.lua": 'on("tool_call", function() end)'},
    "allow": {"a.lua": 'on("tool_call", function() return { allow = true } end)'},
    "deny": {
        "a.lua": 'for _, e in { "tool_call", "user_prompt", "permission_request" } do\n'
        '  pcall(on, e, function() return { block = true, reason = "not this one" } end)\nend'
    },
    "ask": {"a.lua": 'on("tool_call", function() return { ask = "really now?" } end)'},
    "confirm": {
        "a.lua": 'on("tool_call", function(e, ctx)\n'
        '  if not ctx.ui.confirm("Go on?", "really now?") then return { block = true, reason = "it said no" } end\nend)'
    },
    "rewrite": {
        "a.lua": 'on("tool_call", function(e) if e.command then return { command = e.command .. " # seen" } end end)\n'
        'on("tool_result", function() return { content = "a new result" } end)'
    },
    "texts": {
        "a.lua": EVERY_EVENT % 'ctx.ui.notify("a notice"); return { context = "some text" }'
        + 'on("agent_end", function() return { continue_with = "go on please" } end)'
    },
    "errors": {"a.lua": EVERY_EVENT % 'error("it broke")' + 'on("tool_call", function() error("it broke") end)'},
    "broken": {"a.lua": "on("},
    "rhai": {"a.rhai": 'on("tool_call", |e, ctx| #{ block: true, reason: "not in Rhai" });'},
    "withheld": {
        "a.lua": "-----\n-- name: a\n-- on_failure: withhold\n-----\n"
        'on("tool_result", function() error("it broke") end)'
    },
    "iterations": {
        "a.lua": 'on("iteration_start", function(e) return { context = "iteration " .. e.iteration } end)\n'
        'on("iteration_end", function(e) return { context = "ended " .. e.iteration } end)'
    },
}


def plain(value):
    """A document without what texts say: one with a blank in it is a text."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    if isinstance(value, str) and (" " in value or "\n" in value):
        return "(a text)"
    return value


def answers(program, payloads, hooks):
    """The answers to the payloads, in order, in one home of their own."""
    home = Path(tempfile.mkdtemp(prefix="snaphook-compare-"))
    try:
        folder = home / "config/hooks"
        folder.mkdir(parents=True)
        for name, text in hooks.items():
            (folder / name).write_text(text)
        (home / "project").mkdir()
        env = {
            "HOME": str(home),
            "PATH": os.environ["PATH"],
            "SNAPHOOK_CONFIG_DIR": str(home / "config"),
            "SNAPHOOK_STATE_DIR": str(home / "state"),
        }
        found = []
        for agent, native, payload in payloads:
            words = [program, "hook", agent] + ([native] if native else [])
            done = subprocess.run(
                words, input=json.dumps(payload), env=env, cwd=home / "project", capture_output=True, text=True, timeout=120
            )
            try:
                said = plain(json.loads(done.stdout))
            except ValueError:
                said = plain(done.stdout.strip())
            found.append((done.returncode, said, bool(done.stderr.strip())))
        return found
    finally:
        shutil.rmtree(home, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--agent")
    args = parser.parse_args()
    work = []
    for folder in sorted(path for path in FIXTURES.iterdir() if path.is_dir()):
        if args.agent and folder.name != args.agent:
            continue
        files = sorted(folder.glob("*.json"))
        fixtures = [(file.stem, json.loads(file.read_text())) for file in files]
        payloads = [(folder.name, fixture.get("native"), fixture["payload"]) for _, fixture in fixtures]
        for name, hooks in HOOKS.items():
            work.append((folder.name, name, [stem for stem, _ in fixtures], payloads, hooks))
    if not work:
        sys.exit("there are no fixtures of this agent")

    def compare(one):
        agent, name, stems, payloads, hooks = one
        pairs = zip(stems, answers(args.old, payloads, hooks), answers(args.new, payloads, hooks))
        return [(agent, name, stem, old, new) for stem, old, new in pairs if old != new], len(stems)

    differ, count = [], 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for wrong, compared in pool.map(compare, work):
            differ += wrong
            count += compared
    for agent, name, stem, old, new in differ:
        print(f"{agent} {stem}, hooks {name}:\n  old {json.dumps(old)}\n  new {json.dumps(new)}")
    print(f"{count} answers of each build, {len(differ)} differ")
    sys.exit(1 if differ else 0)


main()
