"""A client that speaks raw JSON lines: it sends exactly the bytes it is given, and keeps exactly the bytes that come.

Not here: what is sent (`script.py`), and what is made of what came (`compare.py`).
"""

import json
import os
import queue
import subprocess
import threading
import time


class Silent(Exception):
    """Nothing came in time."""


def parsed(line):
    """What a line says; None if it is no JSON."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


class Client:
    """A server's process, or that of something in front of one."""

    def __init__(self, command, env=None, cwd=None, answers=None, stderr=None):
        # `answers`: what the client answers to a method of the server, as text.
        self.answers = answers or {}
        self.lines = []
        self.queue = queue.Queue()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=stderr or subprocess.DEVNULL, env=env, cwd=cwd)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.queue.put(line)
        self.queue.put(None)

    def send(self, text):
        """A line, as text or bytes, without its end."""
        data = text if isinstance(text, bytes) else text.encode()
        try:
            self.process.stdin.write(data + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def next(self, timeout=15):
        """The next line of the server; None at its end. Its requests are answered on the way."""
        try:
            line = self.queue.get(timeout=timeout)
        except queue.Empty:
            raise Silent(f"nothing came in {timeout} s; before that: {self.lines[-2:]}") from None
        if line is not None:
            self.lines.append(line)
            self._answer(line)
        return line

    def _answer(self, line):
        message = parsed(line)
        if isinstance(message, dict) and "method" in message and "id" in message:
            answer = self.answers.get(message["method"])
            if answer is None:
                answer = '"error":{"code":-32601,"message":"the client has no such method"}'
            self.send('{"jsonrpc":"2.0","id":%s,%s}' % (json.dumps(message["id"]), answer))

    def until(self, wanted, timeout=15):
        """Lines until one that is wanted, which is given back."""
        end = time.monotonic() + timeout
        while True:
            line = self.next(max(0.01, end - time.monotonic()))
            if line is None:
                raise Silent(f"the server ended, with {self.process.wait()}; its last: {self.lines[-2:]}")
            if wanted(parsed(line)):
                return line

    def answer_to(self, id_, timeout=15):
        """The line that answers the request with this id."""
        return self.until(lambda m: isinstance(m, dict) and "method" not in m and m.get("id") == id_, timeout)

    def end(self, timeout=20):
        """Closes the input, reads the rest, and gives the exit code."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        end = time.monotonic() + timeout
        try:
            while self.next(max(0.01, end - time.monotonic())) is not None:
                pass
            return self.process.wait(max(0.01, end - time.monotonic()))
        except (Silent, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
            raise Silent("the process did not end when its input was closed") from None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def plain_environment(home):
    """The environment for every process: nothing of the caller's settings, everything of a place of their own."""
    keep = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return dict(keep, HOME=home, TZ="UTC", GIT_CONFIG_NOSYSTEM="1",
                GIT_AUTHOR_NAME="A", GIT_AUTHOR_EMAIL="a@b.example", GIT_AUTHOR_DATE="2001-02-03T04:05:06Z",
                GIT_COMMITTER_NAME="A", GIT_COMMITTER_EMAIL="a@b.example", GIT_COMMITTER_DATE="2001-02-03T04:05:06Z")
