"""Copilot's command line."""

import os

from wires import Call

from .base import KEY, Agent, server, url


class Copilot(Agent):
    name = "copilot"
    title = "Copilot CLI"
    package = "@github/copilot-linux-x64"
    shell_tool = "bash"
    limit_file = ".copilot/hooks/snaphook.json"

    def lay(self, place, port, mcp):
        if mcp:
            command, *arguments = server(place)
            place.write(place.at_home(".copilot/mcp-config.json"), {
                "mcpServers": {"ours": {"type": "local", "command": command, "args": arguments, "tools": ["*"]}}})

    def environment(self, place, port):
        return {
            "COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": url(port, "/v1"), "COPILOT_PROVIDER_API_KEY": KEY, "COPILOT_MODEL": "mock-model",
            "COPILOT_AUTO_UPDATE": "false",
        }

    def add_server(self, place, name):
        return [self.installed(place.kept, "copilot"), "mcp", "add", name, "--", "true"]

    def command(self, place, prompt):
        # It asks about programs by their paths outside the project, and snaphook is the program of a held command.
        program = os.path.dirname(place.program)
        return [self.installed(place.kept, "copilot"), "--allow-all-tools", "--add-dir", program, "-p", prompt]

    def shell(self, command):
        return Call(self.shell_tool, {"command": command, "description": "runs a command"})

    def task(self, prompt):
        return Call("task", {"description": "a task", "prompt": prompt, "agent_type": "general-purpose", "name": "a-task"})

    def note(self, text):
        return Call("ours-note", {"text": text})

    # The same key in the settings of the person or the project was not seen to turn these hooks off.
    off_switches = {
        "disableAllHooks-in-hooks": lambda place: place.change(
            place.at_home(".copilot/hooks/snaphook.json"), lambda settings: settings.update(disableAllHooks=True)),
    }
