"""Codex CLI."""

import json
import re

from wires import Call

from .base import KEY, Agent, server, url


class Codex(Agent):
    name = "codex"
    title = "Codex CLI"
    package = "@openai/codex-linux-x64"
    shell_tool = "exec_command"
    limit_file = ".codex/hooks.json"

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

    def wait(self, place, seconds):
        super().wait(place, seconds)
        # The changed hook needs a new approval.
        self.approve(place)
        return True

    def add_server(self, place, name):
        return [self.program(place.kept), "mcp", "add", name, "--", "true"]

    def command(self, place, prompt):
        return [self.program(place.kept), "exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", prompt]

    def shell(self, command):
        return Call(self.shell_tool, {"cmd": command})

    def task(self, prompt):
        return Call("multi_agent_v1/spawn_agent", {"message": prompt})

    def await_task(self, asked):
        """Waits for the subagent. Its id is in the result of the call that started it."""
        told = asked.messages()
        ids = re.findall(r'"?agent_id\\*"?: ?\\*"([0-9a-f-]{36})', told)
        return Call("multi_agent_v1/wait_agent", {"targets": ids[-1:]})

    def approve(self, place):
        """Does what `/hooks` does in the terminal: lists hooks and records each hash as trusted."""
        hooks = [hook for entry in self.ask(place, "hooks/list", {"cwds": [place.project]})["data"] for hook in entry["hooks"]]
        if not hooks:
            return "Codex lists no hooks"
        states = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in hooks}
        self.ask(place, "config/batchWrite", {"edits": [{"keyPath": "hooks.state", "mergeStrategy": "upsert", "value": states}]})
        return None

    def ask(self, place, method, params):
        """Sends one request to the app server."""
        started = {"id": 0, "method": "initialize", "params": {"clientInfo": {"name": "interop", "version": "1"}}}
        lines = [started, {"method": "initialized"}, {"id": 1, "method": method, "params": params}]
        return place.converse([self.program(place.kept), "app-server"], self.environment(place, 0), lines, 1)

    def note(self, text):
        return Call("mcp__ours/note", {"text": text})

    def edit(how):
        """Returns a switch that changes the text of the settings."""

        return lambda place: place.edit(place.at_home(".codex/config.toml"), how)

    off_switches = {
        "not-approved": edit(lambda text: text[: text.index("[hooks.state]")]),
        "approved-another": edit(lambda text: re.sub(r'(trusted_hash = "sha256:)....', r"\g<1>0000", text)),
        "hook-disabled": edit(lambda text: re.sub("(trusted_hash = .*)", r"\1\nenabled = false", text)),
        "features.hooks": edit(lambda text: f"{text}\n[features]\nhooks = false\n"),
    }
    del edit
