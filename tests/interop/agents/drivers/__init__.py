"""The agents, those with most users first."""

from .claude_code import ClaudeCode
from .codex import Codex

ALL = {agent.name: agent() for agent in (ClaudeCode, Codex)}
