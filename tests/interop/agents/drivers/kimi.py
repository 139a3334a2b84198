"""Kimi Code."""

import re

from wires import Call

from .base import KEY, Agent, server, url


class Kimi(Agent):
    name = "kimi"
    title = "Kimi Code"
    package = "@moonshot-ai/kimi-code"

    def lay(self, place, port, mcp):
        place.write(place.at_home(".kimi-code/config.toml"), f"""default_model = "mock"
default_permission_mode = "yolo"
telemetry = false

[providers.mock]
type = "openai"
base_url = "{url(port, "/v1")}"
api_key = "{KEY}"

[models.mock]
provider = "mock"
model = "mock-model"
max_context_size = 200000
""")
        if mcp:
            command, *arguments = server(place)
            place.write(place.at_home(".kimi-code/mcp.json"), {"mcpServers": {"ours": {"command": command, "args": arguments}}})

    def environment(self, place, port):
        return {"KIMI_CODE_NO_AUTO_UPDATE": "1"}

    def command(self, place, prompt):
        return [*self.node(place.kept, "dist/main.mjs"), "-p", prompt, "--output-format", "stream-json"]

    def task(self, prompt):
        return Call("Agent", {"description": "a task", "prompt": prompt, "subagent_type": "coder"})

    def wait(self, place, seconds):
        limit = f"timeout = {seconds}"
        return place.edit(place.at_home(".kimi-code/config.toml"), lambda text: re.sub(r"(?m)^timeout = \d+$", limit, text))
