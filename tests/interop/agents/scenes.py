"""All scenes in the order in which they run. Scenes that share a run stand together."""

import broken
import calls
import doctor
import inside
import turns

SHARED = [
    (["doctor-before"], doctor.before),
    (["doctor-after"], doctor.after),
    ([scene.name for scene in calls.ALL], calls.run),
    (["context-call-alone"], turns.alone),
    (["context-start", "context-prompt"], turns.texts),
    (["prompt-block"], turns.prompt_block),
    (["continue"], turns.continues),
    (["subagent"], turns.subagent),
    (["claude-settings"], turns.claude_settings),
    (["inside"], inside.inside),
    (["unloadable"], turns.unloadable),
    (["untrusted"], turns.untrusted),
    (["broken"], broken.broken),
    (["hang"], broken.hang),
]


def of(agent):
    """Returns pairs of scene names and the function that runs them."""
    return [*SHARED, *(([f"off-{switch}"], doctor.off(switch)) for switch in agent.off_switches)]
