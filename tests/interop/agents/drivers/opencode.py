"""OpenCode, with names for what was made from it."""

import os

from wires import Call

from .base import Plugged, server, url


class OpenCode(Plugged):
    name = "opencode"
    title = "OpenCode"
    package = "opencode-linux-x64"
    shell_tool = "bash"
    plugin = ".config/opencode/plugins/snaphook.js"
    # The folder of its settings below the home, and the file in it.
    folder = ".config/opencode"
    settings = "opencode.json"
    program = "bin/opencode"
    # The package that it installs beside plugins.
    needs = "@opencode-ai/plugin"
    # The beginning of its environment variables.
    variables = "OPENCODE"

    def lay(self, place, port, mcp):
        settings = {
            "provider": {"mock": {
                "npm": "@ai-sdk/openai-compatible", "name": "mock", "options": {"baseURL": url(port, "/v1"), "apiKey": "mock"},
                "models": {"mock-model": {"name": "mock-model", "tool_call": True, "limit": {"context": 200000, "output": 8000}}},
            }},
            "model": "mock/mock-model", "small_model": "mock/mock-model", "share": "disabled", "autoupdate": False,
        }
        if mcp:
            settings["mcp"] = {"ours": {"type": "local", "command": server(place), "enabled": True}}
        place.write(place.at_home(self.folder, self.settings), settings)
        # It installs this package beside its settings unless these files say that it is there.
        # Our plugin does not need it.
        needs = {"dependencies": {self.needs: self.version(place.kept)}}
        os.makedirs(place.at_home(self.folder, "node_modules"))
        place.write(place.at_home(self.folder, "package.json"), needs)
        place.write(place.at_home(self.folder, "package-lock.json"), {"lockfileVersion": 3, "packages": {"": needs}})

    def environment(self, place, port):
        return {f"{self.variables}_DISABLE_{what}": "1" for what in ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "SHARE")}

    def command(self, place, prompt):
        return [self.installed(place.kept, self.program), "run", "--format", "json", "--print-logs", "-m", "mock/mock-model", prompt]

    def shell(self, command):
        return Call(self.shell_tool, {"command": command, "description": "runs a command"})

    def task(self, prompt):
        return Call("task", {"description": "a task", "prompt": prompt, "subagent_type": "general"})

    def note(self, text):
        return Call("ours_note", {"text": text})
