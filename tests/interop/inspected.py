"""The Inspector's command line: one request a process, its output as it prints it."""

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

# Server, then what it is asked.
ASKED = [
    ("everything", ["--method", "tools/list"]),
    ("everything", ["--method", "tools/call", "--tool-name", "get-structured-content", "--tool-args-json", '{"location":"Chicago"}']),
    ("everything", ["--method", "resources/read", "--uri", "demo://resource/static/document/features.md"]),
    ("everything", ["--method", "prompts/get", "--prompt-name", "args-prompt", "--prompt-args", "city=Ö"]),
    ("filesystem", ["--method", "tools/call", "--tool-name", "read_text_file", "--tool-arg", "path={world}/files/sub/deep/a.md"]),
    ("filesystem", ["--method", "tools/call", "--tool-name", "read_text_file", "--tool-arg", "path=/etc/passwd"]),
    ("memory", ["--method", "tools/list"]),
    ("git", ["--method", "tools/call", "--tool-name", "git_log", "--tool-arg", "repo_path={world}/repo"]),
    ("time", ["--method", "tools/list", "--protocol-era", "modern"]),
]


def ask(bench, command, name, arguments):
    """What it printed and how it ended."""
    config = os.path.join(bench.home, f"{name}-{abs(hash(tuple(command)))}.json")
    with open(config, "w", encoding="utf-8") as file:
        json.dump({"mcpServers": {"s": {"command": command[0], "args": command[1:], "cwd": bench.world,
                                        "env": bench.environment_of(name)}}}, file)
    arguments = [part.replace("{world}", bench.world) for part in arguments]
    inspector = bench.package("inspector") + "/clients/launcher/build/index.js"
    done = subprocess.run([bench.node, inspector, "--cli", "--config", config, "--server", "s", "--format", "json", *arguments],
                          env=bench.environment, cwd=bench.world, capture_output=True, timeout=40, check=False)
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    if done.returncode not in (0, 5):
        lines += done.stderr.decode("utf-8", "replace").splitlines()[-5:]
    return [f"{name} {' '.join(arguments)}: ended with {done.returncode}", *lines]


def run(bench, way):
    """All that is asked, two at a time; `way` makes a server's command."""
    bench.fresh()
    with ThreadPoolExecutor(2) as pool:
        answers = pool.map(lambda asked: ask(bench, way(bench.server(asked[0])), *asked), ASKED)
        return [line for answer in answers for line in answer]
