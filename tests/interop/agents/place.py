"""A throw-away home and project for one run of an agent, and the processes in it."""

import json
import os
import signal
import subprocess
import threading
import time


class Ended:
    """The end of a program. `code` is None if it was ended from here."""

    def __init__(self, code, out, took):
        self.code = code
        self.out = out
        self.took = took
        self.at = time.monotonic()


class Place:
    """`home`, `project` (a git repository) and `proof`, where tools leave marks, all below `root`."""

    def __init__(self, root, kept):
        self.root = os.path.realpath(root)
        self.kept = kept
        self.home = os.path.join(self.root, "home")
        self.project = os.path.join(self.root, "project")
        self.proof = os.path.join(self.project, "proof")
        self.program = os.path.join(self.root, "bin", "snaphook")
        for folder in (self.home, self.proof, os.path.dirname(self.program), os.path.join(self.root, "tmp")):
            os.makedirs(folder, mode=0o700)
        self.plain = {
            "PATH": os.pathsep.join((os.path.join(self.root, "bin"), os.path.join(kept, "bin"), "/usr/local/bin:/usr/bin:/bin")),
            "HOME": self.home,
            "XDG_CONFIG_HOME": self.at_home(".config"),
            "XDG_DATA_HOME": self.at_home(".local/share"),
            "XDG_STATE_HOME": self.at_home(".local/state"),
            "XDG_CACHE_HOME": self.at_home(".cache"),
            "TMPDIR": os.path.join(self.root, "tmp"),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "SHELL": "/bin/bash",
            "NO_COLOR": "1",
        }
        self.write(self.at_home(".gitconfig"), "[user]\nname = A\nemail = a@b.example\n[init]\ndefaultBranch = main\n")
        self.write(self.in_project("README.md"), "# A project\n")
        for arguments in (["init", "-q"], ["add", "README.md"], ["commit", "-q", "-m", "Begin"]):
            subprocess.run(["git", "-C", self.project, *arguments], env=self.plain, check=True, stdout=subprocess.DEVNULL)

    def at_home(self, *path):
        return os.path.join(self.home, *path)

    def in_project(self, *path):
        return os.path.join(self.project, *path)

    def write(self, path, content, mode=0o600):
        """Writes a file: text as it is, anything else as JSON."""
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content, indent=2))
        os.chmod(path, mode)

    def change(self, path, how):
        """Changes a JSON file, or makes it."""
        value = {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                value = json.load(file)
        how(value)
        self.write(path, value)

    def edit(self, path, how):
        """Changes the text of a file. False if it stays as it is."""
        with open(path, encoding="utf-8") as file:
            text = file.read()
        changed = how(text)
        self.write(path, changed)
        return changed != text

    def proven(self, name):
        """Tells if a tool left this mark."""
        return os.path.exists(os.path.join(self.proof, name))

    def run(self, command, environment=None, limit=60, enough=None):
        """Runs a program in the project until it ends, `limit` seconds pass, or `enough` is set.

        Whatever it started is ended, too.
        """
        began = time.monotonic()
        log = os.path.join(self.root, "out.txt")
        with open(log, "ab+") as out:
            start = out.tell()
            child = subprocess.Popen(
                command, cwd=self.project, env={**self.plain, **(environment or {})}, stdout=out, stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL, start_new_session=True,
            )
            try:
                while (code := child.poll()) is None and time.monotonic() < began + limit and not (enough and enough.is_set()):
                    time.sleep(0.05)
            finally:
                self.end(child)
            out.seek(start)
            return Ended(code, out.read().decode("utf-8", "replace"), time.monotonic() - began)

    def converse(self, command, environment, lines, number, limit=20):
        """Sends lines of JSON-RPC to a program. Returns the result of the request with this number."""
        with open(os.path.join(self.root, "out.txt"), "ab") as out:
            child = subprocess.Popen(
                command, cwd=self.project, env={**self.plain, **environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=out,
                start_new_session=True,
            )
        clock = threading.Timer(limit, child.kill)
        clock.start()
        try:
            child.stdin.write("".join(json.dumps({"jsonrpc": "2.0", **line}) + "\n" for line in lines).encode())
            child.stdin.flush()
            for line in child.stdout:
                answer = json.loads(line)
                if answer.get("id") == number and "method" not in answer:
                    if "result" not in answer:
                        raise OSError(f"{command[0]}: {answer}")
                    return answer["result"]
            raise OSError(f"{command[0]} gave no answer to {lines[-1]}")
        finally:
            clock.cancel()
            self.end(child)

    def end(self, child):
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()
        self.end_strays()

    def processes(self):
        """Yields the processes with this place's home, which no other process has."""
        mark = b"HOME=" + os.fsencode(self.home)
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    with open(f"/proc/{name}/environ", "rb") as file:
                        if mark in file.read().split(b"\0"):
                            yield int(name)
                except OSError:
                    continue

    def end_strays(self, only=lambda pid: True):
        """Ends processes that left their group, each by its id. Returns the ids."""
        ended = set()
        for _ in range(50):
            strays = [pid for pid in self.processes() if only(pid)]
            if not strays:
                break
            ended.update(strays)
            for pid in strays:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            time.sleep(0.02)
        return ended
