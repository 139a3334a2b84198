"""The checks by name. Each takes a `Bench` and gives what is wrong, line by line; nothing if all is well."""

import alone
import conformance
import exact
import fuzz
import harness
import hooked
import params
import sdk
import tasks
import transparency
from lines import Silent
from servers import NAMES

# What says by itself what went wrong.
TOLD = (Silent,)

ALL = {
    "harness": harness.check,
    "exact": exact.check,
    **{f"lines:{name}": (lambda bench, name=name: transparency.lines(bench, name)) for name in NAMES},
    **{f"sdk:{name}": (lambda bench, name=name: transparency.by_sdk(bench, name, sdk.by_session)) for name in NAMES},
    **{f"sdk-newer:{name}": (lambda bench, name=name: transparency.by_sdk(bench, name, sdk.by_client)) for name in ("git", "time", "memory")},
    "inspector": transparency.by_inspector,
    "examples:lua": lambda bench: hooked.examples(bench, "lua"),
    "examples:rhai": lambda bench: hooked.examples(bench, "rhai"),
    "tasks": tasks.check,
    "tasks:newer": tasks.newer,
    "denied:newer": hooked.newer,
    **{f"alone:{name}": (lambda bench, name=name: alone.same(bench, name)) for name in ("time", "git", "memory", "filesystem")},
    "alone:denied": alone.denied,
    "alone:asked": alone.asked,
    **{f"alone:{name}:{way}": (lambda bench, ask=ask, way=way: ask(bench, way))
       for way in ("stdio", "url") for name, ask in (("many", alone.many), ("listen", alone.listen), ("taken-back", alone.taken_back))},
    "alone:silent": alone.silent,
    "params": params.check,
    "elicitation": hooked.elicitation,
    "elicitation:newer": hooked.elicitation_newer,
    "conformance:conforming": lambda bench: conformance.check(bench, "conforming"),
    "conformance:everything": lambda bench: conformance.check(bench, "everything"),
    "conformance:newer": conformance.newer,
    "conformance:clients": conformance.clients,
    "fuzz:client": fuzz.from_client,
    "fuzz:server": fuzz.from_server,
}
