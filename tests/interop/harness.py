"""The checks themselves: stand-ins for the gate that each do one wrong thing have to be found out, and one that does none has to pass."""

import os
import sys

import exact
import transparency
from servers import Bench

HERE = os.path.dirname(os.path.abspath(__file__))


def check(bench):
    wrong = []
    checks = {"exact": exact.check, "lines:memory": lambda bench: transparency.lines(bench, "memory")}
    # What `lines` sees of them depends on the server: only what it surely sees is asked of it.
    for how, seen_by in [("pass", ()), ("reorder", ("exact", "lines:memory")), ("meta", ("exact",)), ("respell", ("exact",)), ("drop", ("exact",))]:
        other = Bench(bench.kept, [sys.executable, os.path.join(HERE, "proxy.py"), how], os.path.join(bench.place, how))
        for name, run in checks.items():
            if how == "pass" or name in seen_by:
                found = run(other)
                if bool(found) != (name in seen_by):
                    wrong += [f"{name} {'sees nothing wrong' if not found else 'is not ok'} with a proxy that does `{how}`", *found[:5]]
    return wrong
