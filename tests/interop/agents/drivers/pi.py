"""pi."""

from .base import KEY, Plugged, url


class Pi(Plugged):
    name = "pi"
    title = "pi"
    package = "@earendil-works/pi-coding-agent"
    shell_tool = "bash"
    plugin = ".pi/agent/extensions/snaphook.js"

    def lay(self, place, port, mcp):
        model = {"id": "mock-model", "name": "mock-model", "reasoning": False, "input": ["text"], "contextWindow": 200000, "maxTokens": 8000}
        place.write(place.at_home(".pi/agent/models.json"), {
            "providers": {"mock": {"baseUrl": url(port, "/v1"), "api": "openai-completions", "apiKey": KEY, "models": [model]}}})

    def environment(self, place, port):
        return {"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1"}

    def command(self, place, prompt):
        return [*self.node(place.kept, "dist/bundle/cli.js"), "--mode", "json", "--model", "mock/mock-model", "-p", prompt]
