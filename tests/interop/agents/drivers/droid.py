"""Factory Droid, as `droid exec`."""

from wires import Call

from .base import KEY, Agent, first, server, url


class Droid(Agent):
    name = "droid"
    title = "Factory Droid"
    package = "@factory/cli-linux-x64"
    shell_tool = "Execute"
    limit_file = ".factory/hooks.json"

    def lay(self, place, port, mcp):
        place.write(place.at_home(".factory/settings.json"), {
            "customModels": [{
                "model": "mock-model", "id": "custom:mock-0", "index": 0, "displayName": "mock", "baseUrl": url(port, "/v1"), "apiKey": KEY,
                "provider": "generic-chat-completion-api", "maxOutputTokens": 8000,
            }],
        })
        if mcp:
            command, *arguments = server(place)
            place.write(place.at_home(".factory/mcp.json"), {
                "mcpServers": {"ours": {"type": "stdio", "command": command, "args": arguments, "disabled": False}}})

    def environment(self, place, port):
        return {"FACTORY_API_KEY": KEY, "FACTORY_API_BASE_URL": url(port), "DROID_DISABLE_AUTO_UPDATE": "1"}

    def add_server(self, place, name):
        return [self.installed(place.kept, "bin/droid"), "mcp", "add", name, "true"]

    def command(self, place, prompt):
        return [self.installed(place.kept, "bin/droid"), "exec", "-m", "custom:mock-0", "-o", "stream-json", "--skip-permissions-unsafe", prompt]

    def shell(self, command):
        return Call(self.shell_tool, {"command": command, "summary": "Leaves a mark there", "riskLevelReason": "It leaves a mark.", "riskLevel": "low"})

    def task(self, prompt):
        return Call("Task", {"description": "a task", "prompt": prompt, "subagent_type": "worker", "await": True})

    def note(self, text):
        return Call("ours___note", {"text": text})

    off_switches = {
        "hooksDisabled": lambda place: place.change(
            place.at_home(".factory/settings.json"), lambda settings: first(settings, "hooks").update(hooksDisabled=True)),
        "hooksDisabled-in-hooks.json": lambda place: place.change(
            place.at_home(".factory/hooks.json"), lambda settings: settings.update(hooksDisabled=True)),
    }
