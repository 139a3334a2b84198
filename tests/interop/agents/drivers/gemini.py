"""Gemini CLI."""

from wires import Call

from .base import KEY, GeminiLike, first, url


class Gemini(GeminiLike):
    name = "gemini"
    title = "Gemini CLI"
    package = "@google/gemini-cli"
    auth = "gemini-api-key"
    limit_file = ".gemini/settings.json"
    limit_unit = 1000

    def environment(self, place, port):
        return {
            "GOOGLE_GEMINI_BASE_URL": url(port), "GEMINI_API_KEY": KEY, "GEMINI_CLI_NO_RELAUNCH": "true", "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }

    def add_server(self, place, name):
        return [*self.node(place.kept, "bundle/gemini.js"), "mcp", "add", "--scope", "user", name, "true"]

    def command(self, place, prompt):
        return [*self.node(place.kept, "bundle/gemini.js"), "-m", "gemini-2.5-flash", "--output-format", "stream-json", "--yolo", "-p", prompt]

    def task(self, prompt):
        return Call("invoke_agent", {"agent_name": "generalist", "prompt": prompt})

    def note(self, text):
        return Call("mcp_ours_note", {"text": text})

    off_switches = {
        "hooksConfig.disabled": lambda place: place.change(
            place.at_home(".gemini/settings.json"), lambda settings: first(settings, "hooksConfig").update(disabled=["snaphook"])),
        "hooksConfig-of-project": lambda place: place.write(place.in_project(".gemini/settings.json"), {"hooksConfig": {"enabled": False}}),
        "hooksConfig.enabled": lambda place: place.change(
            place.at_home(".gemini/settings.json"), lambda settings: first(settings, "hooksConfig").update(enabled=False)),
    }
