"""Grok Build."""

import json

from wires import Call

from .base import KEY, Agent, server, url


class Grok(Agent):
    name = "grok"
    title = "Grok Build"
    package = "@xai-official/grok-linux-x64"
    shell_tool = "run_terminal_command"
    limit_file = ".grok/hooks/snaphook.json"
    aside = "Write an ultra-short dashboard line"

    def lay(self, place, port, mcp):
        text = f"""[models]
default = "mock"

[model.mock]
model = "mock-model"
name = "mock"
base_url = "{url(port, "/v1")}"
api_key = "{KEY}"
api_backend = "chat_completions"
context_window = 200000
"""
        if mcp:
            command, *arguments = server(place)
            text += f"\n[mcp_servers.ours]\ncommand = {json.dumps(command)}\nargs = {json.dumps(arguments)}\n"
        place.write(place.at_home(".grok/config.toml"), text)

    def environment(self, place, port):
        return {"GROK_DISABLE_AUTOUPDATER": "1"}

    def add_server(self, place, name):
        return [self.installed(place.kept, "bin/grok"), "mcp", "add", name, "true"]

    def command(self, place, prompt):
        return [self.installed(place.kept, "bin/grok"), "--always-approve", "-m", "mock", "--output-format", "streaming-json", "-p", prompt]

    def shell(self, command):
        return Call(self.shell_tool, {"command": command, "description": "runs a command"})

    def task(self, prompt):
        return Call("spawn_subagent", {"description": "a task", "prompt": prompt, "background": False})

    def note(self, text):
        # It has one tool of its own for all tools of MCP servers.
        return Call("use_tool", {"tool_name": "ours__note", "tool_input": {"text": text}})

    off_switches = {
        # As its `/hooks` writes it.
        "disabled-hooks": lambda place: place.write(place.at_home(".grok/disabled-hooks"), "global/snaphook:pre_tool_use[0].hooks[0]\n"),
    }
