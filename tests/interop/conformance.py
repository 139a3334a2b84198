"""The protocol's own conformance suite, direct and through the gate: the same verdict for each of its checks of what a server says.

Through the gate in two ways: `--listen` in front of a server that speaks HTTP (`--url`), and in front of one on stdio.
"""

import glob
import json
import os
import queue
import re
import shutil
import socket
import subprocess
import threading
import time

from compare import differences

ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+(/\w+)?")
# What is about the HTTP server that is asked, not about the one behind it: the gate refuses foreign hosts where the server may not.
# There it must not be worse.
OF_THE_FRONT = ("server-dns-rebinding-protection:",)


class Background:
    """A process that says on standard error where it listens."""

    def __init__(self, command, **more):
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **more)
        self.found = queue.Queue()
        self.said = []
        threading.Thread(target=self._read, daemon=True).start()
        try:
            self.address = self.found.get(timeout=20)
        except queue.Empty:
            self.address = None
        if self.address is None:
            self.end()
            raise RuntimeError(f"it does not listen: {''.join(self.said)[-800:]}")

    def _read(self):
        for line in self.process.stderr:
            text = line.decode("utf-8", "replace")
            self.said.append(text)
            found = ADDRESS.search(text)
            if found:
                self.found.put(found.group(0) if found.group(1) else found.group(0) + "/mcp")
        self.found.put(None)

    def end(self):
        self.process.terminate()
        try:
            return self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


def verdicts(bench, url, name):
    """Each check with its verdict, sorted."""
    out = os.path.join(bench.place, f"verdicts-{name}")
    suite = os.path.join(bench.kept, "node/node_modules/@modelcontextprotocol/conformance/dist/index.js")
    done = subprocess.run([bench.node, suite, "server", "--url", url, "--suite", "all", "-o", out], env=bench.environment, cwd=bench.world,
                          capture_output=True, timeout=90, check=False)
    found = []
    for path in glob.glob(os.path.join(out, "*/checks.json")):
        scenario = re.sub(r"-\d{4}-.*", "", os.path.basename(os.path.dirname(path)))
        with open(path, encoding="utf-8") as file:
            for check in json.load(file):
                if check["status"] == "INFO":
                    continue
                line = f"{scenario}: {check['id']}: {check['status']}"
                if check["status"] != "SUCCESS" and check.get("errorMessage"):
                    line += f" ({check['errorMessage'][:200]})"
                found.append(line)
    if not found:
        raise RuntimeError(done.stderr.decode("utf-8", "replace")[-800:])
    return sorted(found)


def same(direct, through):
    """The differences that count."""
    def of_the_front(line):
        return line.startswith(OF_THE_FRONT)
    worse = [line for line in through if of_the_front(line) and not line.endswith("SUCCESS") and line not in direct]
    behind = [[line for line in lines if not of_the_front(line)] for lines in (direct, through)]
    return differences(*behind) + [f"worse than without the gate: {line}" for line in worse]


def gate(bench, *behind):
    """The gate, listening."""
    return Background([*bench.program, "mcp", "--listen", "127.0.0.1:0", *behind], env=bench.environment, cwd=bench.world)


def conforming(bench):
    """The server with all that the suite asks for, laid beside the packages."""
    script = os.path.join(bench.kept, "node/conforming.mjs")
    shutil.copyfile(os.path.join(os.path.dirname(os.path.abspath(__file__)), "conforming.mjs"), script)
    return [bench.node, script]


def check(bench, server):
    """`conforming` passes all there is to pass; `everything` has other tools than the suite asks for and fails much, and just that."""
    wrong, open_ = [], []
    if server == "conforming":
        command = conforming(bench)
        http = [*command, "0"]
        environment = bench.environment
    else:
        command = None
        http = [bench.node, os.path.join(bench.package("server-everything"), "dist/index.js"), "streamableHttp"]
        environment = dict(bench.environment, PORT=str(free_port()))
    try:
        if server == "conforming":
            behind = Background(http, env=environment, cwd=bench.world)
        else:
            behind = Background(["sh", "-c", f'echo "http://127.0.0.1:{environment["PORT"]}" >&2; exec "$@"', "sh", *http], env=environment, cwd=bench.world)
            wait_for(int(environment["PORT"]))
        open_.append(behind)
        direct = verdicts(bench, behind.address, "direct")
        if server == "conforming" and sum("SUCCESS" in line for line in direct) < 40:
            return ["the server does not conform without the gate:", *direct]
        front = gate(bench, "--url", behind.address)
        open_.append(front)
        wrong += same(direct, verdicts(bench, front.address, "url"))
        if command:
            front = gate(bench, "--", *command)
            open_.append(front)
            wrong += same(direct, verdicts(bench, front.address, "stdio"))
        for process in open_[1:]:
            wrong += [f"the gate panicked: {line}" for line in process.said if "panicked" in line]
    finally:
        for process in open_:
            process.end()
    return wrong


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def wait_for(port):
    end = time.monotonic() + 20
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError("it does not listen")
