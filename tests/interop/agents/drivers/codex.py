"""Codex CLI."""

import json

from wires import Call

from .base import KEY, Agent, server, url


class Codex(Agent):
    name = "codex"
    title = "Codex CLI"
    package = "@openai/codex-linux-x64"
    approved = True

    def program(self, kept):
        return self.installed(kept, "vendor/x86_64-unknown-linux-musl/bin/codex")

    def version(self, kept):
        return super().version(kept).removesuffix("-linux-x64")

    def settings(self, place):
        return place.at_home(".codex/config.toml")

    def lay(self, place, port, mcp):
        command, *arguments = server(place)
        text = f"""model = "gpt-5.1-codex"
model_provider = "mock"
check_for_update_on_startup = false

[model_providers.mock]
name = "mock"
base_url = "{url(port, "/v1")}"
wire_api = "responses"
env_key = "MOCK_KEY"
supports_websockets = false
request_max_retries = 0
stream_max_retries = 0

[projects."{place.project}"]
trust_level = "trusted"
"""
        if mcp:
            text += f"\n[mcp_servers.ours]\ncommand = {json.dumps(command)}\nargs = {json.dumps(arguments)}\n"
        place.write(self.settings(place), text)

    def environment(self, place, port):
        return {"MOCK_KEY": KEY, "CODEX_HOME": place.at_home(".codex")}

    def command(self, place, prompt):
        return [self.program(place.kept), "exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", prompt]

    def shell(self, command):
        return Call("exec_command", {"cmd": command})

    def task(self, prompt):
        return Call("spawn_agent", {"message": prompt})

    def note(self, text):
        return Call("mcp__ours/note", {"text": text})
