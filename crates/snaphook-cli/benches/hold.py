#!/usr/bin/env python3
"""What `snaphook hold` adds to a command: the whole start, beside `true`, `bwrap` and sandbox-runtime, all in turns, so that a slow
minute hits all.

    cargo build --profile dist && crates/snaphook-cli/benches/hold.py [SAMPLES] [PROGRAM] [SRT]

SRT is the `cli.js` of `@anthropic-ai/sandbox-runtime`, if it is to be measured. Prints least, middle and 99th percentile in
milliseconds, and what is more than `true` in the middle. Timings are never asserted: see docs/dev/performance.md.
"""

import json
import os
import pwd
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

TRUE = "/bin/true"


def bubblewrap(project):
    """The walls of `project`, as well as `bwrap` can say them."""
    return ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", "/tmp", "/tmp", "--bind", project, project,
            "--die-with-parent", TRUE]


def sandbox_runtime(root, script, project):
    """The same for sandbox-runtime."""
    settings = os.path.join(root, "srt.json")
    with open(settings, "w") as file:
        json.dump({"network": {"allowedDomains": [], "deniedDomains": []},
                   "filesystem": {"denyRead": [], "allowWrite": [project, "/tmp"], "denyWrite": []}}, file)
    return ["node", script, "--settings", settings, TRUE]


def main():
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    here = os.path.dirname(os.path.abspath(__file__))
    program = sys.argv[2] if len(sys.argv) > 2 else os.path.join(here, "../../../target/dist/snaphook")
    with tempfile.TemporaryDirectory() as root:
        # As an installer leaves it: see hook.py.
        program = shutil.copy(os.path.realpath(program), os.path.join(root, "snaphook"))
        os.chmod(root, 0o755)
        project = os.path.join(root, "project")
        os.makedirs(os.path.join(project, ".git"))
        hold = [program, "hold"]
        cases = {
            "true": [TRUE],
            "snaphook --version": [program, "--version"],
            "hold --policy deny_write": [*hold, "--policy", '{"deny_write": ["/opt"]}', "--exec", "--", TRUE],
            "hold --policy net": [*hold, "--policy", '{"net": "none"}', "--exec", "--", TRUE],
            "hold -p guarded": [*hold, "-p", "guarded", "--exec", "--", TRUE],
            "hold -p project": [*hold, "-p", "project", "--exec", "--", TRUE],
            "hold -p offline": [*hold, "-p", "offline", "--exec", "--", TRUE],
        }
        if shutil.which("bwrap"):
            cases["bwrap"] = bubblewrap(project)
        if len(sys.argv) > 3:
            cases["sandbox-runtime"] = sandbox_runtime(root, os.path.realpath(sys.argv[3]), project)
        # The account's own home: where `HOME` says another one, both are guarded.
        env = dict(os.environ, HOME=pwd.getpwuid(os.getuid()).pw_dir)
        for name in ("SNAPHOOK_CONFIG_DIR", "SNAPHOOK_STATE_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
            env.pop(name, None)
        took = {name: [] for name in cases}
        for round_number in range(samples + 3):
            for name, command in cases.items():
                # It takes a third of a second.
                if name == "sandbox-runtime" and round_number % 10:
                    continue
                began = time.perf_counter()
                done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=env, cwd=project)
                spent = time.perf_counter() - began
                if done.returncode != 0:
                    sys.exit(f"{name}: {done}")
                if round_number >= 3:
                    took[name].append(spent * 1e3)
        nothing = statistics.median(took["true"])
        print(f"{'ms':<28}{'least':>9}{'middle':>9}{'p99':>9}{'more':>9}")
        for name, list_ in took.items():
            list_.sort()
            late = list_[min(len(list_) - 1, int(len(list_) * 0.99))]
            middle = statistics.median(list_)
            print(f"{name:<28}{list_[0]:>9.2f}{middle:>9.2f}{late:>9.2f}{middle - nothing:>9.2f}")


main()
