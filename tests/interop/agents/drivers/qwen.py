"""Qwen Code."""

from wires import Call

from .base import KEY, GeminiLike, url


class Qwen(GeminiLike):
    name = "qwen"
    title = "Qwen Code"
    package = "@qwen-code/qwen-code"
    auth = "openai"
    # Its hook for prompts runs before each request to the model.
    ends_when_broken = True
    limit_file = ".qwen/settings.json"

    def environment(self, place, port):
        return {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": url(port, "/v1"), "OPENAI_MODEL": "mock-model"}

    def add_server(self, place, name):
        return [*self.node(place.kept, "cli-entry.js"), "mcp", "add", "--scope", "user", name, "true"]

    def command(self, place, prompt):
        return [*self.node(place.kept, "cli-entry.js"), "--yolo", "--output-format", "stream-json", "-p", prompt]

    def shell(self, command):
        return Call(self.shell_tool, {"command": command, "description": "runs a command", "is_background": False})

    def task(self, prompt):
        return Call("agent", {"description": "a task", "prompt": prompt, "subagent_type": "general-purpose"})

    off_switches = {
        "disableAllHooks-of-project": lambda place: place.write(place.in_project(".qwen/settings.json"), {"disableAllHooks": True}),
        "disableAllHooks": lambda place: place.change(place.at_home(".qwen/settings.json"), lambda settings: settings.update(disableAllHooks=True)),
    }
