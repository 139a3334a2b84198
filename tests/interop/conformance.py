"""The protocol's own conformance suite, direct and through the gate: the same verdict for each of its checks of what a server says.

Servers through the gate in two ways: `--listen` in front of a server that speaks HTTP (`--url`), and in front of one on stdio. The suite's
last release knows the protocol up to 2025-11-25; that of 2026-07-28 is in the one that is about to be.
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

HERE = os.path.dirname(os.path.abspath(__file__))
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+(/\w+)?")
# What is about the HTTP server that is asked, not about the one behind it: the gate refuses foreign hosts where the server may not.
# There it must not be worse. How many streams a client may have, and where it takes one up, is the front's affair, too.
OF_THE_FRONT = ("server-dns-rebinding-protection:", "server-server-sse-multiple-streams:", "server-server-sse-polling:")

SUITE = ("@modelcontextprotocol/conformance", "--suite", "all")
NEWER_SUITE = ("conformance-newer", "--requirements", "2026-07-28")

# All but those about signing in, which a client does without the gate.
CLIENT_SCENARIOS = ("initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry", "request-metadata",
                    "sep-2322-client-request-state", "http-standard-headers", "http-custom-headers", "http-invalid-tool-headers",
                    "json-schema-ref-no-deref", "json-schema-2020-12-preservation")


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


def suite_run(bench, package, kind, name, *options, **more):
    """Runs a part of a suite: each check with its verdict, sorted."""
    out = os.path.join(bench.place, f"verdicts-{name}")
    program = os.path.join(bench.kept, "node/node_modules", package, "dist/index.js")
    done = subprocess.run([bench.node, program, kind, *options, "-o", out], env=dict(bench.environment, **more), cwd=bench.world,
                          capture_output=True, timeout=90, check=False)
    found = []
    for path in glob.glob(os.path.join(out, "**/checks.json"), recursive=True):
        scenario = re.sub(r"-\d{4}-\d\d-\d\dT.*", "", os.path.basename(os.path.dirname(path)))
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


def verdicts(bench, url, name, suite):
    """Of a server."""
    package, *options = suite
    return suite_run(bench, package, "server", name, "--url", url, *options)


def clients(bench):
    """Of a client of the PyPI SDK, direct and through the gate, which is the client of the suite's servers then."""
    bench.fresh()
    command = f"{bench.python} -B {os.path.join(HERE, 'client.py')}"
    gate_command = "\n".join([*bench.program, "mcp", "--name", "suite"])
    wrong = []
    for scenario in CLIENT_SCENARIOS:
        options = ["--command", command, "--scenario", scenario]
        direct = suite_run(bench, NEWER_SUITE[0], "client", f"{scenario}-direct", *options)
        through = suite_run(bench, NEWER_SUITE[0], "client", f"{scenario}-through", *options, GATE=gate_command)
        if not any("SUCCESS" in line for line in direct):
            wrong.append(f"{scenario}: the client does not conform without the gate: {direct}")
        wrong += differences(direct, through)
    return wrong


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
    shutil.copyfile(os.path.join(HERE, "conforming.mjs"), script)
    return [bench.node, script]


def check(bench, server):
    """`conforming` passes all there is to pass; `everything` has other tools than the suite asks for and fails much, and just that."""
    if server == "conforming":
        command = conforming(bench)
        return compared(bench, lambda: Background([*command, "0"], env=bench.environment, cwd=bench.world), command, SUITE, least=40)
    port = free_port()
    http = [bench.node, os.path.join(bench.package("server-everything"), "dist/index.js"), "streamableHttp"]
    says = ["sh", "-c", f'echo "http://127.0.0.1:{port}" >&2; exec "$@"', "sh"]

    def everything():
        server = Background([*says, *http], env=dict(bench.environment, PORT=str(port)), cwd=bench.world)
        wait_for(port)
        return server

    return compared(bench, everything, None, SUITE)


def newer(bench):
    """The server of the PyPI SDK has few of the tools that the suite asks for; what is left is about the protocol itself."""
    command = [bench.python, "-B", os.path.join(HERE, "busy.py")]
    return compared(bench, lambda: Background([*command, "0"], env=bench.environment, cwd=bench.world), command, NEWER_SUITE, least=100)


def compared(bench, listens, command, suite, least=0):
    """What differs where the gate is between: in front of a server that listens, and of the same as a command if it is one."""
    wrong, open_ = [], []
    try:
        behind = listens()
        open_.append(behind)
        direct = verdicts(bench, behind.address, "direct", suite)
        if sum("SUCCESS" in line for line in direct) < least:
            return ["the server does not conform without the gate:", *direct]
        front = gate(bench, "--url", behind.address)
        open_.append(front)
        wrong += same(direct, verdicts(bench, front.address, "url", suite))
        if command:
            front = gate(bench, "--", *command)
            open_.append(front)
            wrong += same(direct, verdicts(bench, front.address, "stdio", suite))
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
