"""The agents, those with most users first."""

from .claude_code import ClaudeCode
from .cline import Cline
from .codex import Codex
from .copilot import Copilot
from .droid import Droid
from .gemini import Gemini
from .grok import Grok
from .kilo import Kilo
from .kimi import Kimi
from .opencode import OpenCode
from .pi import Pi
from .qwen import Qwen
from .vibe import Vibe

ALL = {agent.name: agent() for agent in (ClaudeCode, Codex, Gemini, OpenCode, Kilo, Copilot, Qwen, Cline, Grok, Droid, Kimi, Vibe, Pi)}
