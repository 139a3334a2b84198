"""A throw-away project, home and folder for temporary files, and the calls that run there."""

import os
import pwd
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

# A guard against a call that hangs; nothing is expected to take this long.
LIMIT = 600
# For the last processes of a call that has closed its output.
STAY = 30
# Folders of a home in which tools were used before.
USED = (".cache", ".npm", ".cargo/registry", ".config", ".local/share")


class Ended:
    """The end of a call: its exit code (negative: the signal), its output, and its time."""

    def __init__(self, line, code, out, err, wall, cpu):
        self.line = line
        self.code = code
        self.out = out
        self.err = err
        self.wall = wall
        self.cpu = cpu


class User:
    """The person whom the calls run as: the one who started this, or another if that is root."""

    def __init__(self, name=None):
        self.name = name
        entry = pwd.getpwnam(name) if name else None
        self.ids = (entry.pw_uid, entry.pw_gid) if entry else None
        self.uid = entry.pw_uid if entry else os.getuid()

    def options(self):
        """What `subprocess` needs to run something as this person."""
        return {"user": self.ids[0], "group": self.ids[1], "extra_groups": []} if self.ids else {}

    def owns(self, root):
        """Gives this person a tree."""
        if self.ids:
            os.chown(root, *self.ids)
            for folder, folders, files in os.walk(root):
                for name in folders + files:
                    os.chown(os.path.join(folder, name), *self.ids, follow_symlinks=False)

    def can_run(self, words, env):
        """Tells if a program starts and ends well for this person."""
        try:
            done = subprocess.run(words, env=env, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self.options())
        except OSError:
            return False
        return done.returncode == 0


class Pipe:
    """A pipe for the output of a call, which a person can open by the names in `/dev`."""

    def __init__(self, user):
        read, self.write = os.pipe()
        if user.ids:
            os.fchown(self.write, *user.ids)
        self.file = os.fdopen(read, "rb")
        self.bytes = b""
        self.thread = None

    def read(self):
        """Begins to read, and leaves the other end to the call."""
        os.close(self.write)
        self.thread = threading.Thread(target=self.take)
        self.thread.start()

    def take(self):
        self.bytes = self.file.read()

    def text(self):
        self.thread.join()
        self.file.close()
        return self.bytes.decode("utf-8", "replace")


def python_of(user):
    """A Python outside of virtual environments that this person can run, with `venv` and `pip`."""
    names = [getattr(sys, "_base_executable", sys.executable), "/usr/local/bin/python3", "/usr/bin/python3"]
    for path in map(os.path.realpath, names):
        if user.can_run([path, "-c", "import ensurepip, sqlite3, sys; sys.exit(sys.version_info < (3, 10))"], {"PATH": os.environ["PATH"]}):
            return path
    return None


class Place:
    """`project`, `home` and `outside` below `root`, and a folder for temporary files.

    Sockets are in that one: it has a short path, below `/tmp`, where walls are open.
    """

    def __init__(self, root, temporary, kept, user, program):
        self.root = root
        self.temporary = temporary
        self.kept = kept
        self.user = user
        self.program = program
        self.project = os.path.join(root, "project")
        self.home = os.path.join(root, "home")
        python = python_of(user)
        homes = {name: os.path.expanduser(os.environ.get(name, usual)) for name, usual in (("CARGO_HOME", "~/.cargo"), ("RUSTUP_HOME", "~/.rustup"))}
        self.env = {
            "PATH": os.pathsep.join([*([os.path.dirname(python)] if python else []), os.environ["PATH"]]),
            "HOME": self.home,
            "TMPDIR": temporary,
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "USER": user.name or pwd.getpwuid(os.getuid()).pw_name,
            # The parts of the tools themselves: what they keep is in the home that is thrown away, except where a job says so.
            "RUSTUP_HOME": homes["RUSTUP_HOME"],
            "WHEELS": os.path.join(kept, "wheels"),
            "OUTSIDE": os.path.join(root, "outside"),
        }
        self.cargo_home = homes["CARGO_HOME"]

    def lay(self, job):
        """Makes everything anew."""
        self.clear()
        for folder in (self.home, self.temporary, self.env["OUTSIDE"]):
            os.makedirs(folder)
        if job.home == "used":
            for folder in USED:
                os.makedirs(os.path.join(self.home, folder))
        self.write(os.path.join(self.home, ".gitconfig"), "[user]\n\tname = A\n\temail = a@b.example\n[init]\n\tdefaultBranch = main\n[safe]\n\tdirectory = *\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n")
        if job.files:
            shutil.copytree(os.path.join(os.path.dirname(os.path.abspath(__file__)), "projects", job.files), self.project)
        else:
            os.makedirs(self.project)
        if job.before:
            job.before(self)
        # The project of a call is the repository that it runs in.
        subprocess.run(["git", "init", "-q", self.project], env=self.env, check=True)
        self.user.owns(self.root)
        self.user.owns(self.temporary)

    def clear(self):
        for folder in (self.root, self.temporary):
            shutil.rmtree(folder, ignore_errors=True)

    def write(self, path, text):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def call(self, line, held, policy=None, env=None):
        """Runs a command line in the project, as an agent would."""
        words = ["bash", "-c", line]
        if held:
            words = [self.program, "hold", "-p", "project", *(["--policy", policy] if policy else []), "--", line]
        pipes = [Pipe(self.user), Pipe(self.user)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.perf_counter()
        child = subprocess.Popen(
            words, cwd=self.project, env={**self.env, **(env or {})}, stdin=subprocess.DEVNULL, stdout=pipes[0].write, stderr=pipes[1].write,
            start_new_session=True, umask=0o022, **self.user.options(),
        )
        for pipe in pipes:
            pipe.read()
        clock = threading.Timer(LIMIT, lambda: os.killpg(child.pid, signal.SIGKILL))
        clock.start()
        out, err = [pipe.text() for pipe in pipes]
        child.wait()
        clock.cancel()
        took = time.perf_counter() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if not self.ended(child.pid):
            os.killpg(child.pid, signal.SIGKILL)
            err += "\nprocesses were left behind\n"
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return Ended(line, child.returncode, out, err, took, cpu)

    def ended(self, group):
        """Waits for the last process of a group. False if one stays."""
        deadline = time.monotonic() + STAY
        while time.monotonic() < deadline:
            try:
                os.killpg(group, 0)
            except ProcessLookupError:
                return True
            time.sleep(0.005)
        return False
