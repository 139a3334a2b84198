"""Calls whose result is fetched later: a task of server-everything, direct and through the gate, and with a hook that masks.

The server goes on by itself when its input is closed, because its tasks have timers; the gate must not.
"""

import json
import time

import script
from compare import differences, masked
from hooked import hook_path
from lines import Client
from servers import SECRET


def fetched(bench, command, end):
    """The lines about one task: its start, its result."""
    bench.fresh()
    run = script.Script()
    run.open()
    with Client(command, env=bench.environment, cwd=bench.world, answers=script.ANSWERS) as client:
        for text, wait in run.steps:
            client.send(text)
            if wait:
                client.answer_to(wait)

        def ask(id_, method, params):
            client.send(json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params}))
            return client.answer_to(id_)

        began = ask(10, "tools/call", {"name": "simulate-research-query", "arguments": {"topic": f"the token {SECRET}"}, "task": {"ttl": 60000}})
        task = json.loads(began)["result"]["task"]["taskId"]
        result = ask(11, "tasks/result", {"taskId": task})
        again = ask(12, "tasks/result", {"taskId": task})
        if end:
            at = time.monotonic()
            client.end(25)
            if time.monotonic() - at > 20:
                return ["the gate did not end with its client"]
        return [masked(line) for line in (began, result, again)]


def check(bench):
    command = bench.server("everything")
    direct = fetched(bench, command, False)
    if sum(SECRET in line for line in direct) != 2:
        return ["too little came to compare:", *direct]
    wrong = differences(direct, fetched(bench, bench.through(command), True))
    hooked = fetched(bench, bench.through(command, "--hook", hook_path("lua", "redact-secrets")), True)
    wrong += [f"a token in what a task says is not masked: {line}" for line in hooked if SECRET in line]
    if sum("[redacted" in line for line in hooked) != 2:
        wrong += ["what a task says is not there:", *hooked]
    return wrong
