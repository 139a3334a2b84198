"""Cline's command line."""

from wires import Call

from .base import KEY, Agent, server, url


class Cline(Agent):
    name = "cline"
    title = "Cline CLI"
    package = "@cline/cli-linux-x64"
    shell_tool = "run_commands"
    ends_at_denial = True

    def program(self, kept):
        return self.installed(kept, "bin/cline")

    def lay(self, place, port, mcp):
        # As `cline auth -p openai-compatible` writes it.
        settings = {"provider": "openai-compatible", "apiKey": KEY, "model": "mock-model", "baseUrl": url(port, "/v1")}
        place.write(place.at_home(".cline/data/settings/providers.json"), {
            "version": 1, "lastUsedProvider": "openai-compatible", "modes": {},
            "providers": {"openai-compatible": {"settings": settings, "updatedAt": "2026-11-01T00:00:00.000Z", "tokenSource": "manual"}},
        })
        if mcp:
            command, *arguments = server(place)
            place.write(place.at_home(".cline/data/settings/cline_mcp_settings.json"), {
                "mcpServers": {"ours": {"command": command, "args": arguments, "autoApprove": ["note"]}}})

    def environment(self, place, port):
        return {"CLINE_NO_AUTO_UPDATE": "1"}

    def command(self, place, prompt):
        return [self.program(place.kept), "--json", prompt]

    def shell(self, command):
        return Call(self.shell_tool, {"commands": [command]})

    def task(self, prompt):
        return Call("spawn_agent", {"systemPrompt": "You are a helper.", "task": prompt})

    def note(self, text):
        return Call("ours__note", {"text": text})
