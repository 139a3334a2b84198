#!/usr/bin/env python3
"""What `snaphook mcp` costs a tool call: a client and a server in Python, direct and with the gate between, asked in turns, so that a
slow minute hits all. Then what it does under load: 100 calls in flight, 10,000 in a row, a result of 10 MB, and its memory.

    cargo build --profile dist && crates/snaphook-cli/benches/mcp.py [SAMPLES] [PROGRAM]

Prints least, middle and 99th percentile in microseconds. Ends with 1 if anything is lost; timings are never asserted: see
docs/dev/performance.md.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

GATE = """-----
-- name: guard
-- description: Guards the tool
-----
on("tool_call", { tool = "mcp__bench__echo" }, function(event)
  local text = event.input.text or ""
  if text:find("rm -rf /", 1, true) then return { block = true, reason = "recursive delete of everything" } end
end)
"""

RESULT = """-----
-- name: mask
-- description: Looks through results
-----
on("tool_result", { tool = "mcp__bench__echo" }, function(event)
  if event.content:find("secret", 1, true) then return { content = "masked" } end
end)
"""

# Without any hook each call is denied: a missing gate must not allow everything.
OTHER = """-----
-- name: other
-- description: Guards another tool
-----
on("tool_call", { tool = "bash" }, function() return { block = true, reason = "not here" } end)
"""

# Reads and writes whole lines with one system call each, so that the direct call is short.
SERVER = """
import json, os
rest = b""
text = {}
while True:
    data = os.read(0, 1 << 20)
    if not data:
        break
    *lines, rest = (rest + data).split(b"\\n")
    out = []
    for line in lines:
        call = json.loads(line)
        if "id" not in call:
            continue
        if call["method"] == "initialize":
            result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "bench", "version": "0"}}
        else:
            arguments = call["params"]["arguments"]
            words = arguments["text"] if "bytes" not in arguments else text.setdefault(arguments["bytes"], "x" * arguments["bytes"])
            result = {"content": [{"type": "text", "text": words}]}
        out.append(json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": result}, separators=(",", ":")))
    data = memoryview("".join(line + "\\n" for line in out).encode())
    while data:
        data = data[os.write(1, data):]
"""


class Side:
    """A server's process, or the gate's."""

    def __init__(self, command, **more):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, **more)
        self.stdin, self.stdout = self.process.stdin.fileno(), self.process.stdout.fileno()
        self.rest = b""
        self.id = 0
        self.send(json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "0"}}}).encode())
        self.lines(1)
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')

    def send(self, line):
        data = memoryview(line + b"\n")
        while data:
            data = data[os.write(self.stdin, data):]

    def line_of(self, **arguments):
        self.id += 1
        return b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":%s}}' % (
            self.id, json.dumps(arguments).encode())

    def lines(self, count):
        """So many lines, whole."""
        got = []
        parts = [self.rest]
        while len(got) < count:
            data = os.read(self.stdout, 1 << 20)
            if not data:
                sys.exit("the server ended")
            if b"\n" not in data:
                parts.append(data)
                continue
            *whole, rest = (b"".join(parts) + data).split(b"\n")
            got += whole
            parts = [rest]
        self.rest = b"".join(parts)
        return got

    def call(self, **arguments):
        """A call and its answer; the microseconds between."""
        line = self.line_of(**arguments)
        began = time.perf_counter_ns()
        self.send(line)
        answer, = self.lines(1)
        spent = time.perf_counter_ns() - began
        if b'"id":%d,' % self.id not in answer or b"isError" in answer:
            sys.exit(f"a wrong answer: {answer[:200]!r}")
        return spent / 1e3

    def burst(self, count):
        """Calls in flight at once, and the microseconds until all are answered."""
        lines = [self.line_of(text=f"call {number}") for number in range(count)]
        first = self.id - count + 1
        began = time.perf_counter_ns()
        self.send(b"\n".join(lines))
        answers = self.lines(count)
        spent = time.perf_counter_ns() - began
        ids = sorted(json.loads(answer)["id"] for answer in answers)
        if ids != list(range(first, first + count)) or any(b"isError" in answer for answer in answers):
            sys.exit("answers were lost")
        return spent / 1e3

    def memory(self, what):
        """Of the process, in MiB."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            for line in file:
                if line.startswith(what):
                    return int(line.split()[1]) / 1024
        return 0.0

    def end(self):
        self.process.stdin.close()
        self.process.wait(20)


def row(name, samples, direct=None):
    samples = sorted(samples)
    middle = statistics.median(samples)
    late = samples[min(len(samples) - 1, int(len(samples) * 0.99))]
    added = "" if direct is None else f"{middle - statistics.median(direct):>10.0f}"
    print(f"{name:<38}{samples[0]:>10.0f}{middle:>10.0f}{late:>10.0f}{added}")


def main():
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    here = os.path.dirname(os.path.abspath(__file__))
    program = os.path.realpath(sys.argv[2] if len(sys.argv) > 2 else os.path.join(here, "../../../target/dist/snaphook"))
    with tempfile.TemporaryDirectory() as root:
        env = {name: value for name, value in os.environ.items() if not name.startswith(("SNAPHOOK_", "XDG_"))}
        env["HOME"] = os.path.join(root, "home")
        os.makedirs(os.path.join(root, "project"))
        os.mkdir(env["HOME"], mode=0o700)
        hooks = {}
        for name, text in [("gate", GATE), ("result", RESULT), ("other", OTHER)]:
            hooks[name] = os.path.join(root, f"{name}.lua")
            with open(hooks[name], "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(hooks[name], 0o600)
        server = [sys.executable, "-c", SERVER]
        more = {"env": env, "cwd": os.path.join(root, "project")}

        def gate(*names):
            given = [part for name in names for part in ("--hook", hooks[name])]
            return Side([program, "mcp", "--name", "bench", *given, "--", *server], **more)

        sides = {"direct": Side(server, **more), "through, no hook for it": gate("other"), "through, one hook": gate("gate"),
                 "through, and one looks at results": gate("gate", "result")}
        # The hook is there, and matches.
        hooked = sides["through, one hook"]
        hooked.send(hooked.line_of(text="rm -rf /"))
        if b"recursive delete" not in hooked.lines(1)[0]:
            sys.exit("the hook does not gate")
        took = {name: [] for name in sides}
        for round_number in range(samples + 50):
            for name, side in sides.items():
                spent = side.call(text="cargo test --workspace")
                if round_number >= 50:
                    took[name].append(spent)
        print(f"{'µs':<38}{'least':>10}{'middle':>10}{'p99':>10}{'added':>10}")
        for name, list_ in took.items():
            row(f"one call, {name}", list_, None if name == "direct" else took["direct"])
        loads = {"direct": sides["direct"], "through, one hook": hooked}
        took = {name: [] for name in loads}
        for _ in range(20):
            for name, side in loads.items():
                took[name].append(side.burst(100))
        for name, list_ in took.items():
            row(f"100 at once, {name}", list_, None if name == "direct" else took["direct"])
        loads["through, and one looks"] = sides["through, and one looks at results"]
        took = {name: [] for name in loads}
        for _ in range(5):
            for name, side in loads.items():
                took[name].append(side.call(text="", bytes=10_000_000))
        for name, list_ in took.items():
            row(f"10 MB, {name}", list_, None if name == "direct" else took["direct"])
        for side in sides.values():
            side.end()

        # Memory of a gate that did nothing else.
        side = gate("gate", "result")
        side.call(text="x")
        start = side.memory("VmRSS")
        began = time.perf_counter()
        for _ in range(10_000):
            side.call(text="cargo test --workspace")
        spent = time.perf_counter() - began
        behind = side.memory("VmRSS")
        print(f"10,000 in a row: {spent:.1f} s; MiB before {start:.1f}, behind {behind:.1f}", end="")
        side.burst(100)
        print(f", behind 100 at once {side.memory('VmRSS'):.1f}", end="")
        for _ in range(5):
            side.call(text="", bytes=10_000_000)
        print(f", most during five results of 10 MB {side.memory('VmHWM'):.1f}, behind them {side.memory('VmRSS'):.1f}")
        side.end()


main()
