"""Claude Code."""

from wires import Call

from .base import KEY, Agent, server, url


class ClaudeCode(Agent):
    name = "claude-code"
    title = "Claude Code"
    package = "@anthropic-ai/claude-code-linux-x64"
    limit_file = ".claude/settings.json"

    def lay(self, place, port, mcp):
        command, *arguments = server(place)
        place.write(place.at_home(".claude.json"), {
            "hasCompletedOnboarding": True,
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
            "projects": {place.project: {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}},
            "mcpServers": {"ours": {"type": "stdio", "command": command, "args": arguments}} if mcp else {},
        })

    def environment(self, place, port):
        return {
            "ANTHROPIC_BASE_URL": url(port),
            "ANTHROPIC_API_KEY": KEY,
            "IS_SANDBOX": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        }

    def add_server(self, place, name):
        return [self.installed(place.kept, "claude"), "mcp", "add", "--scope", "user", name, "--", "true"]

    def command(self, place, prompt):
        return [
            self.installed(place.kept, "claude"), "-p", prompt, "--model", "claude-sonnet-4-5", "--output-format", "stream-json", "--verbose",
            "--dangerously-skip-permissions",
        ]

    def task(self, prompt):
        return Call("Agent", {"description": "a task", "prompt": prompt, "subagent_type": "general-purpose"})

    off_switches = {
        "disableAllHooks-of-project": lambda place: place.write(place.in_project(".claude/settings.local.json"), {"disableAllHooks": True}),
        "disableAllHooks": lambda place: place.change(place.at_home(".claude/settings.json"), lambda settings: settings.update(disableAllHooks=True)),
    }
