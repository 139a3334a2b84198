"""Scenes about `snaphook doctor`: before install, after it, and with the agent's hooks switched off."""

from bench import IDLE, Run
from calls import on_command


def outcome_of(ended):
    return {0: "ok", 1: "wrong"}.get(ended.code, f"exit code {ended.code}")


def before(bench, agent, names):
    run = Run(bench, agent, "doctor-before")
    run.hook("idle", IDLE)
    run.lay()
    ended = run.snaphook("doctor", agent.name)
    return {"doctor-before": (outcome_of(ended), ended.out.splitlines())}


def after(bench, agent, names):
    run = Run(bench, agent, "doctor-after")
    run.hook("idle", IDLE)
    run.install()
    ended = run.snaphook("doctor", agent.name)
    return {"doctor-after": (outcome_of(ended), ended.out.splitlines())}


def off(switch):
    """Switches hooks off. A call that a hook would block must run now, or the switch does nothing."""

    def scene(bench, agent, names):
        run = Run(bench, agent, f"off-{switch}")
        run.hook("block", on_command("switched-off", 'return { block = true, reason = "REASON-OF-BLOCK" }'))
        run.install()
        agent.off_switches[switch](run.place)
        ended = run.snaphook("doctor", agent.name)
        run.drive([[agent.shell(f"touch {run.place.proof}/switched-off")]])
        seen = {0: "NOT SEEN", 1: "seen"}.get(ended.code, f"exit code {ended.code}")
        outcome = seen if run.place.proven("switched-off") else f"{seen}, and hooks run all the same"
        return {f"off-{switch}": (outcome, [*ended.out.splitlines(), *run.told()])}

    return scene
