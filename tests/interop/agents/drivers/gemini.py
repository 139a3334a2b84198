"""Gemini CLI."""

from wires import Call

from .base import KEY, Agent, first, server, url


class Gemini(Agent):
    name = "gemini"
    title = "Gemini CLI"
    package = "@google/gemini-cli"
    shell_tool = "run_shell_command"

    def settings(self, place):
        return place.at_home(".gemini/settings.json")

    def lay(self, place, port, mcp):
        settings = {
            "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
            "general": {"disableAutoUpdate": True, "enableAutoUpdate": False, "enableAutoUpdateNotification": False},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
        }
        if mcp:
            command, *arguments = server(place)
            settings["mcpServers"] = {"ours": {"command": command, "args": arguments, "trust": True}}
        place.write(self.settings(place), settings)

    def environment(self, place, port):
        return {
            "GOOGLE_GEMINI_BASE_URL": url(port), "GEMINI_API_KEY": KEY, "GEMINI_CLI_NO_RELAUNCH": "true", "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }

    def command(self, place, prompt):
        return [*self.node(place.kept, "bundle/gemini.js"), "-m", "gemini-2.5-flash", "--output-format", "stream-json", "--yolo", "-p", prompt]

    def task(self, prompt):
        return Call("invoke_agent", {"agent_name": "generalist", "prompt": prompt})

    def note(self, text):
        return Call("mcp_ours_note", {"text": text})

    def wait(self, place, seconds):
        def shorten(settings):
            settings["hooks"]["BeforeTool"][0]["hooks"][0]["timeout"] = seconds * 1000

        place.change(self.settings(place), shorten)
        return True

    off_switches = {
        "hooksConfig.disabled": lambda place: place.change(
            place.at_home(".gemini/settings.json"), lambda settings: first(settings, "hooksConfig").update(disabled=["snaphook"])),
        "hooksConfig-of-project": lambda place: place.write(place.in_project(".gemini/settings.json"), {"hooksConfig": {"enabled": False}}),
        "hooksConfig.enabled": lambda place: place.change(
            place.at_home(".gemini/settings.json"), lambda settings: first(settings, "hooksConfig").update(enabled=False)),
    }
