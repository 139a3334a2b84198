"""Calls whose result is fetched later: a task of server-everything, direct and through the gate, and with a hook that masks; and
tasks as the protocol has them since 2026-07-28, by a server that says it so.

The server goes on by itself when its input is closed, because its tasks have timers; the gate must not.
"""

import json
import os
import time

import script
from compare import differences, masked
from exact import INITIALIZE, call_say
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


def newer(bench):
    """The result stands in the answer to `tasks/get`, and in what the server tells by itself."""
    bench.fresh()
    peer = [bench.python, os.path.join(os.path.dirname(os.path.abspath(__file__)), "peer.py"), os.path.join(bench.world, "record")]
    command = bench.through(peer, "--hook", hook_path("lua", "redact-secrets"))
    done = '"taskId":"t1","status":"completed","result":{"content":[{"type":"text","text":"%s"}],"structuredContent":{"a":"%s"}}' % (SECRET, SECRET)
    begun = '{"jsonrpc":"2.0","id":@ID@,"result":{"resultType":"task","taskId":"t1","status":"working", "own":1.0}}'
    asked = '{"jsonrpc":"2.0","id":@ID@,"result":{"resultType":"input_required","inputRequests":{ },"requestState":"s"}}'
    told = '{"jsonrpc":"2.0","method":"notifications/tasks","params":{%s}}' % done
    other = '{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"t1", "status":"working"}}'
    gone = '{"jsonrpc":"2.0","id":@ID@,"result":{"resultType":"complete",%s}}' % done
    with Client(command, env=bench.environment, cwd=bench.world) as client:
        client.send(INITIALIZE)
        client.answer_to(0)
        client.send(call_say(1, [begun], **{"tasks/get": [other, told, gone]}))
        first = client.answer_to(1)
        client.send('{"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":"t1"}}')
        client.until(lambda m: m.get("method") == "notifications/tasks" and "result" in m["params"])
        client.send(call_say(3, [asked]))
        third = client.answer_to(3)
        client.end()
        lines = client.lines
    wrong = [f"a token in what a task says is not masked: {line!r}" for line in lines if SECRET.encode() in line]
    if sum(b"[redacted" in line for line in lines) != 2:
        wrong += ["what a task says is not there:", *map(repr, lines)]
    for line, said in ((first, begun.replace("@ID@", "1")), (third, asked.replace("@ID@", "3"))):
        if line.strip() != said.encode():
            wrong.append(f"what is no result is not as it came: {line!r}")
    return wrong
