"""With no hook that looks, what a client gets through the gate is what it gets direct. By raw lines, and by clients that no one here wrote."""

import inspected
import script
import sdk
from compare import differences, masked_text, sorted_out
from lines import Client


def once(bench, name, command, run):
    """What came of one run of the script in a fresh world."""
    bench.fresh()
    with Client(command, env=bench.environment_of(name), cwd=bench.world, answers=script.ANSWERS) as client:
        code = script.run(run, client)
        return [*sorted_out(client.lines), f"exit code {code}"]


def lines(bench, name):
    """The same lines to one server, direct and through."""
    run = script.ALL[name](bench.world)
    command = bench.server(name)
    direct = once(bench, name, command, run)
    return differences(direct, once(bench, name, bench.through(command), run))


def by_sdk(bench, name, manner):
    """A client of the PyPI SDK."""
    command = bench.server(name)
    direct, through = ([masked_text(line) for line in sdk.run(bench, name, way, manner)]
                       for way in (command, bench.through(command)))
    if len(direct) < 5:
        return ["too little came to compare:", *direct]
    return differences(direct, through)


def by_inspector(bench):
    """The Inspector's command line."""
    direct, through = ([masked_text(line) for line in inspected.run(bench, way)] for way in (list, bench.through))
    failed = [line for line in direct if ": ended with " in line and not line.endswith((" 0", " 5"))]
    return failed and ["the Inspector fails without the gate:", *direct] or differences(direct, through)
