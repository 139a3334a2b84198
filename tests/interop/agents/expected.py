"""The expected outcome of each scene with each agent.

An agent's own limits are listed here. A difference means that snaphook or the agent has changed, or
that snaphook does not do yet what it should.
"""


class NotTried(str):
    """The reason why a scene is not tried with an agent."""


NO_COMMAND = NotTried("no command of its own adds an MCP server without a dialog")

# Agents without an entry below.
ALL = {
    "doctor-before": "wrong",
    "doctor-after": "ok",
    "runs": "yes",
    "context-call": "yes",
    "context-call-alone": "yes",
    "context-result": "yes",
    "rewrite": "yes",
    "hold": "yes",
    "redact": "yes",
    "redact-failed": "yes",
    "redact-mcp": "yes",
    "block": "yes",
    "bare-block": "yes",
    "ask": "denied",
    "raises": "denied",
    "mcp": "yes",
    "context-start": "yes",
    "context-prompt": "yes",
    "prompt-block": "yes",
    "continue": "3",
    "subagent": "yes",
    "claude-settings": "no",
    "inside": "unchanged",
    "unloadable": "denied",
    "untrusted": "denied",
    "broken": "denied, all 30",
    "hang": "RAN",
}

OF = {
    # Hooks cannot replace the error of a failed tool.
    "claude-code": {"claude-settings": NotTried("they are its own"), "redact-failed": "no, told to forget it", "hang": "denied"},
    # `codex exec` does not print why a prompt was blocked.
    "codex": {"prompt-block": "yes, without the reason"},
    # Headless, a question ends the run. A hook that takes too long is waited for and then ignored.
    "gemini": {"ask": "denied, and the run ends", "hang": "RAN, when it was over"},
    # Hooks cannot make it continue.
    "opencode": {"continue": "0", "hang": "denied", "inside": NO_COMMAND},
    "kilo": {"continue": "0", "hang": "denied", "inside": NO_COMMAND},
    # Hooks cannot rewrite an input or the error of a failed tool. Headless, it does not print why a
    # prompt was blocked.
    "qwen": {
        "rewrite": "denied, with the input",
        "hold": "denied, with the input",
        "redact-failed": "no, told to forget it",
        "prompt-block": "yes, without the reason",
    },
    # A denied call ends the run, and nobody reads the reason. Hooks cannot replace a result and never
    # see a prompt. It waits for a hook without a limit, and drops what one says at the start.
    "cline": {
        "inside": NO_COMMAND,
        "context-start": "later",
        "context-prompt": "no",
        "redact": "no, told to forget it",
        "redact-failed": "no, told to forget it",
        "redact-mcp": "no, told to forget it",
        "block": "yes, without the reason",
        "subagent": "yes, without the reason",
        "ask": "denied, and the run ends",
        "raises": "denied, without the error",
        "mcp": "yes, without the reason",
        "untrusted": "denied, without why",
        "unloadable": "denied, without why",
        "prompt-block": "SENT",
        "continue": "0",
        "hang": "denied, when it was over",
    },
    # It takes no text at the start or with the prompt. Headless, it does not print why a prompt was
    # blocked.
    "grok": {"claude-settings": "yes", "context-start": "later", "context-prompt": "later", "prompt-block": "yes, without the reason"},
    # `droid exec` calls no hook for a prompt or a failed tool. Hooks cannot replace a result.
    "droid": {
        "hold": "yes, without the note",
        "redact": "no, told to forget it",
        "redact-failed": "no",
        "redact-mcp": "no, told to forget it",
        "context-prompt": "no",
        "prompt-block": "SENT",
    },
    # Hooks can deny a call, add text to a prompt, and make it continue once a turn. Nothing else.
    "kimi": {
        "inside": NO_COMMAND,
        "context-call": "no",
        "context-call-alone": "no",
        "context-result": "no",
        "rewrite": "denied, with the input",
        "hold": "denied, with the input",
        "redact": "no",
        "redact-failed": "no",
        "redact-mcp": "no",
        "continue": "1",
    },
    # It has no events of the session's start and of prompts. A program that its model wrote is not told
    # why a call was denied, and MCP tools are reached from programs only.
    "vibe": {
        "inside": NO_COMMAND,
        "context-start": "no",
        "context-prompt": "no",
        "prompt-block": "SENT",
        "mcp": "yes, without the reason",
        "hang": "denied",
    },
    "pi": {"hang": "denied", "inside": NO_COMMAND, "subagent": NotTried("it has no subagents"), "mcp": NotTried("it has no MCP servers"), "redact-mcp": NotTried("it has no MCP servers")},
}


def of(agent, scene):
    """Returns the outcome, or a `NotTried`. `doctor` should see every switch that turns hooks off."""
    return OF.get(agent, {}).get(scene, ALL.get(scene, "seen"))
