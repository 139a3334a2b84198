"""Scenes about `snaphook doctor`: before install, after it, and with the agent's hooks switched off."""

from bench import IDLE, Run, ready
from calls import on_command


def outcome_of(ended):
    return {0: "ok", 1: "wrong"}.get(ended.code, f"exit code {ended.code}")


def checked(name, prepare):
    """Makes a scene that asks `doctor` about an agent that was made ready by `prepare`."""

    def scene(bench, agent, names):
        run = Run(bench, agent, name)
        run.hook("idle", IDLE)
        prepare(run)
        ended = run.snaphook("doctor", agent.name)
        return {name: (outcome_of(ended), ended.out.splitlines())}

    return scene


before = checked("doctor-before", Run.lay)
after = checked("doctor-after", Run.install)


def off(switch):
    """Switches hooks off. A call that a hook would block must run now, or the switch does nothing."""

    def scene(bench, agent, names):
        run = ready(bench, agent, f"off-{switch}", block=on_command("switched-off", 'return { block = true, reason = "REASON-OF-BLOCK" }'))
        agent.off_switches[switch](run.place)
        ended = run.snaphook("doctor", agent.name)
        run.drive([[agent.shell(f"touch {run.place.proof}/switched-off")]])
        seen = {0: "NOT SEEN", 1: "seen"}.get(ended.code, f"exit code {ended.code}")
        outcome = seen if run.place.proven("switched-off") else f"{seen}, and hooks run all the same"
        return {f"off-{switch}": (outcome, [*ended.out.splitlines(), *run.told()])}

    return scene
