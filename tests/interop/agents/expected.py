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
    "block": "yes",
    "ask": "denied",
    "raises": "denied",
    "mcp": "yes",
    "context-start": "yes",
    "context-prompt": "yes",
    "prompt-block": "yes",
    "continue": "3",
    "subagent": "yes",
    "unloadable": "denied",
    "untrusted": "denied",
    "broken": "denied, all 30",
    "hang": "RAN",
}

OF = {
    "claude-code": {"hang": "denied"},
    # `codex exec` prints nothing of a prompt that was blocked.
    "codex": {"prompt-block": "yes, without the reason"},
    # Where it would ask and cannot, it ends without a word. A hook that is late is waited for, and does not count.
    "gemini": {"ask": "denied, and the run ends", "hang": "RAN, when it was over"},
    # It cannot be made to go on.
    "opencode": {"continue": "0", "hang": "denied"},
}


def of(agent, scene):
    """The outcome, or a `NotTried`. Every switch that turns hooks off is to be seen."""
    return OF.get(agent, {}).get(scene, ALL.get(scene, "seen"))
