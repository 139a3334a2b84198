"""What each scene is seen to come to. A run that differs is not ok: either snaphook or the agent has changed, and docs/agents.md with it."""


class NotTried(str):
    """Why a scene is not tried with an agent."""


# Of every agent of which nothing else is said.
ALL = {
    "doctor-before": "wrong",
    "doctor-after": "ok",
    "runs": "yes",
    "context-call": "yes",
    "context-call-alone": "yes",
    "context-result": "yes",
    "rewrite": "yes",
    "redact": "yes",
    "redact-failed": "yes",
    "redact-mcp": "yes",
    "block": "yes",
    "ask": "denied",
    "raises": "denied",
    "mcp": "yes",
    "context-start": "yes",
    "context-prompt": "yes",
    "prompt-block": "yes",
    "continue": "3",
    "subagent": "yes",
    "claude-settings": "no",
    "unloadable": "denied",
    "untrusted": "denied",
    "broken": "denied, all 30",
    "hang": "RAN",
}

OF = {
    # The error of a failed tool cannot be replaced.
    "claude-code": {"claude-settings": NotTried("they are its own"), "redact-failed": "no, told to forget it", "hang": "denied"},
    # `codex exec` prints nothing of a prompt that was blocked.
    "codex": {"prompt-block": "yes, without the reason"},
    # Where it would ask and nobody is there, it ends without a word. A hook that is late is waited for, and does not count.
    "gemini": {"ask": "denied, and the run ends", "hang": "RAN, when it was over"},
    # It cannot be made to go on.
    "opencode": {"continue": "0", "hang": "denied"},
    # It takes no other input from a hook, and prints nothing of a prompt that was blocked.
    "qwen": {"rewrite": "denied, with the input", "prompt-block": "yes, without the reason"},
    # A denied call ends the run, and nobody reads why. Hooks cannot replace a result, are told of no prompt, and are waited for as long
    # as they take. What a hook says at the start is lost.
    "cline": {
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
        "broken": "denied, all 8",
        "hang": "denied, when it was over",
    },
    # It takes no text at the start or with the prompt, and prints nothing of a prompt that was blocked.
    "grok": {"claude-settings": "yes", "context-start": "later", "context-prompt": "later", "prompt-block": "yes, without the reason"},
    # `droid exec` tells hooks of no prompt, and of no tool that failed. A result cannot be replaced.
    "droid": {
        "redact": "no, told to forget it",
        "redact-failed": "no",
        "redact-mcp": "no, told to forget it",
        "context-prompt": "no",
        "prompt-block": "SENT",
    },
    # It takes a denial, and nothing else, of hooks for calls and results; a text with a prompt; and goes on once a turn.
    "kimi": {
        "context-call": "no",
        "context-call-alone": "no",
        "context-result": "no",
        "rewrite": "denied, with the input",
        "redact": "no",
        "redact-failed": "no",
        "redact-mcp": "no",
        "continue": "1",
    },
    "pi": {"subagent": NotTried("it has no subagents"), "mcp": NotTried("it has no MCP servers"), "redact-mcp": NotTried("it has no MCP servers")},
}


def of(agent, scene):
    """The outcome, or a `NotTried`. Every switch that turns hooks off is to be seen."""
    return OF.get(agent, {}).get(scene, ALL.get(scene, "seen"))
