#!/usr/bin/env python3
"""What `snaphook hook` costs a tool call: the whole process, with ten hooks of which two match, beside one script of the same kind
in Python and in Node, started as agents start hooks; and what it costs at events that no hook is for. All are sampled in turns,
so that a slow minute hits all.

    cargo build --profile dist && crates/snaphook-cli/benches/hook.py [SAMPLES] [PROGRAM]

Prints least, middle and 99th percentile in milliseconds. Timings are never asserted: see docs/dev/performance.md.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HOOK = """-----
-- name: guard-{number}
-- description: Guards {tool}
-----
on("tool_call", {{ tool = "{tool}" }}, function(event)
  local line = event.command or event.content or ""
  if line:find("rm -rf /", 1, true) then return {{ block = true, reason = "recursive delete of everything" }} end
  if line:find("sudo ", 1, true) then return {{ ask = "with sudo?" }} end
end)
"""

PYTHON = """import json, sys
call = json.load(sys.stdin)
line = call["tool_input"].get("command", "")
if "rm -rf /" in line:
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
                      "permissionDecisionReason": "recursive delete of everything"}}))
elif "sudo " in line:
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask",
                      "permissionDecisionReason": "with sudo?"}}))
"""

NODE = """const call = JSON.parse(require("fs").readFileSync(0, "utf8"));
const line = call.tool_input.command ?? "";
const say = (decision, reason) => console.log(JSON.stringify({hookSpecificOutput: {hookEventName: "PreToolUse",
  permissionDecision: decision, permissionDecisionReason: reason}}));
if (line.includes("rm -rf /")) say("deny", "recursive delete of everything");
else if (line.includes("sudo ")) say("ask", "with sudo?");
"""

# Events of Claude Code for which the hooks here have no handler, with what the agent sends beside the common fields.
WITHOUT_HANDLER = {
    "PostToolUse": {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "ls"}, "tool_response": {"stdout": "a\nb\n", "stderr": ""}},
    "UserPromptSubmit": {"prompt": "go on"},
    "Notification": {"message": "waits", "notification_type": "idle_prompt"},
    "Stop": {"stop_hook_active": False, "last_assistant_message": "done"},
}


def main():
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    here = os.path.dirname(os.path.abspath(__file__))
    program = sys.argv[2] if len(sys.argv) > 2 else os.path.join(here, "../../../target/dist/snaphook")
    program = os.path.realpath(program)
    with tempfile.TemporaryDirectory() as root:
        # As an installer leaves it: written from beginning to end. What the linker wrote lies in the system's memory in pieces, which
        # each start maps one by one; that takes a millisecond longer.
        program = shutil.copy(program, os.path.join(root, "snaphook"))
        hooks = os.path.join(root, "home/.config/snaphook/hooks")
        project = os.path.join(root, "project")
        os.makedirs(hooks, mode=0o700)
        os.makedirs(project)
        for number in range(10):
            tool = "bash" if number < 2 else "write"
            with open(os.path.join(hooks, f"guard_{number}.lua"), "w") as file:
                file.write(HOOK.format(number=number, tool=tool))
            os.chmod(file.name, 0o600)
        for name, text in [("hook.py", PYTHON), ("hook.js", NODE)]:
            with open(os.path.join(root, name), "w") as file:
                file.write(text)

        def payload(event, fields):
            path = os.path.join(root, f"{event}.json")
            common = {"session_id": "bench", "cwd": project, "transcript_path": "/t.jsonl", "permission_mode": "default", "hook_event_name": event}
            with open(path, "w") as file:
                json.dump({**common, **fields}, file)
            return path

        call = payload("PreToolUse", {
            "tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "cargo test --workspace", "description": "tests"},
        })
        cases = {
            "nothing (/bin/true)": ["/bin/true"],
            "snaphook --version": [program, "--version"],
            "snaphook hook, 10 hooks": [program, "hook", "claude-code", "PreToolUse"],
            "the same by sh -c … || …": ["/bin/sh", "-c", f"{program} hook claude-code PreToolUse || exit 2"],
            "python3, one script": ["python3", os.path.join(root, "hook.py")],
            # What the interpreter alone takes, without what is installed for it.
            "python3 -I -S, one script": ["python3", "-I", "-S", os.path.join(root, "hook.py")],
        }
        if shutil.which("node"):
            cases["node, one script"] = ["node", os.path.join(root, "hook.js")]
        inputs = {name: call for name in cases}
        for event, fields in WITHOUT_HANDLER.items():
            name = f"{event}, no handler"
            cases[name] = [program, "hook", "claude-code", event]
            inputs[name] = payload(event, fields)
        env = dict(os.environ, HOME=os.path.join(root, "home"))
        for name in ("SNAPHOOK_CONFIG_DIR", "SNAPHOOK_STATE_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
            env.pop(name, None)
        took = {name: [] for name in cases}
        for round_number in range(samples + 3):
            for name, command in cases.items():
                with open(inputs[name]) as stdin:
                    began = time.perf_counter()
                    done = subprocess.run(command, stdin=stdin, capture_output=True, env=env, cwd=project)
                    spent = time.perf_counter() - began
                if done.returncode != 0 or (b"deny" in done.stdout):
                    sys.exit(f"{name}: {done}")
                if round_number >= 3:
                    took[name].append(spent * 1e3)
        print(f"{'ms':<28}{'least':>9}{'middle':>9}{'p99':>9}")
        for name, list_ in took.items():
            list_.sort()
            late = list_[min(len(list_) - 1, int(len(list_) * 0.99))]
            print(f"{name:<28}{list_[0]:>9.2f}{statistics.median(list_):>9.2f}{late:>9.2f}")
        ours = statistics.median(took["snaphook hook, 10 hooks"])
        for name in ("python3, one script", "python3 -I -S, one script", "node, one script"):
            if name in took:
                print(f"{name} takes {statistics.median(took[name]) / ours:.1f} times as long")


main()
