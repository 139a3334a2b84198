"""Qwen Code."""

from wires import Call

from .base import KEY, Agent, server, url


class Qwen(Agent):
    name = "qwen"
    title = "Qwen Code"
    package = "@qwen-code/qwen-code"
    shell_tool = "run_shell_command"

    def settings(self, place):
        return place.at_home(".qwen/settings.json")

    def lay(self, place, port, mcp):
        settings = {
            "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}},
            "general": {"disableAutoUpdate": True, "enableAutoUpdate": False, "disableUpdateNag": True},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
        }
        if mcp:
            command, *arguments = server(place)
            settings["mcpServers"] = {"ours": {"command": command, "args": arguments, "trust": True}}
        place.write(self.settings(place), settings)

    def environment(self, place, port):
        return {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": url(port, "/v1"), "OPENAI_MODEL": "mock-model"}

    def command(self, place, prompt):
        return [*self.node(place.kept, "cli-entry.js"), "--yolo", "--output-format", "stream-json", "-p", prompt]

    def shell(self, command):
        return Call(self.shell_tool, {"command": command, "description": "runs a command", "is_background": False})

    def task(self, prompt):
        return Call("agent", {"description": "a task", "prompt": prompt, "subagent_type": "general-purpose"})

    def wait(self, place, seconds):
        def shorten(settings):
            settings["hooks"]["PreToolUse"][0]["hooks"][0]["timeout"] = seconds * 1000

        place.change(self.settings(place), shorten)
        return True

    off_switches = {
        "disableAllHooks-of-project": lambda place: place.write(place.in_project(".qwen/settings.json"), {"disableAllHooks": True}),
        "disableAllHooks": lambda place: place.change(place.at_home(".qwen/settings.json"), lambda settings: settings.update(disableAllHooks=True)),
    }
