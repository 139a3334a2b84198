"""Cline's command line."""

import os

from wires import Call

from .base import KEY, Agent, server, url


class Cline(Agent):
    name = "cline"
    title = "Cline CLI"
    package = "@cline/cli-linux-x64"
    ends_at_denial = True

    def program(self, kept):
        return self.installed(kept, "bin/cline")

    def lay(self, place, port, mcp):
        ended = place.run(
            [self.program(place.kept), "auth", "-p", "openai-compatible", "-k", KEY, "-m", "mock-model", "-b", url(port, "/v1")],
            self.environment(place, port))
        if ended.code != 0:
            raise OSError(f"cline auth: {ended.code} {ended.out}")
        if mcp:
            command, *arguments = server(place)
            place.write(place.at_home(".cline/data/settings/cline_mcp_settings.json"), {
                "mcpServers": {"ours": {"command": command, "args": arguments, "autoApprove": ["note"]}}})

    def environment(self, place, port):
        return {"CLINE_NO_AUTO_UPDATE": "1"}

    def command(self, place, prompt):
        return [self.program(place.kept), "--json", prompt]

    def shell(self, command):
        return Call("run_commands", {"commands": [command]})
