"""A scene about the agent's own command line, held by the kernel: it cannot change the agent's settings."""

import os

from bench import IDLE, Run

# The name of an MCP server, which no file has but for this command.
MARK = "added-from-inside"
SETTINGS = (".json", ".jsonc", ".toml", ".yaml", ".yml")


def marked(place):
    """Returns the settings in which the server is, below the home and the project."""
    found = []
    for top in (place.home, place.project):
        for folder, _, names in os.walk(top):
            for name in names:
                path = os.path.join(folder, name)
                if name.endswith(SETTINGS) and not os.path.islink(path):
                    with open(path, "rb") as file:
                        if MARK.encode() in file.read():
                            found.append(os.path.relpath(path, place.root))
    return found


def inside(bench, agent, names):
    """Adds an MCP server by the agent's own command, held and then unheld, which shows that the command works."""
    run = Run(bench, agent, "inside")
    run.hook("idle", IDLE)
    run.install()
    place = run.place
    command = agent.add_server(place, MARK)
    environment = agent.environment(place, run.model.port)
    held = place.run([place.program, "hold", "-p", "guarded", "--exec", "--", *command], environment)
    told = [f"held: exit code {held.code}", held.out[-800:]]
    if changed := marked(place):
        return {"inside": (f"CHANGED {', '.join(changed)}", told)}
    unheld = place.run(command, environment)
    told += [f"unheld: exit code {unheld.code}", unheld.out[-800:]]
    return {"inside": ("unchanged" if marked(place) else "the command changes nothing", told)}
