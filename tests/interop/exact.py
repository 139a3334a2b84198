"""Byte identity in both directions, of messages that no library would write so: what the server got, and what the client got."""

import base64
import json
import os

from compare import differences
from lines import Client

INITIALIZE = ('{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},'
              '"clientInfo":{"name":"exact","version":"0"}}}')

# To the server: a line, and the id that is answered, if any.
TO_SERVER = [
    ('{"method":"notifications/initialized","jsonrpc":"2.0"}', None),
    (' { "id" : 1.0 ,"jsonrpc":"2.0" , "x":[1e2,-0.0,1E+2], "method":"p\\u0069ng", "params":{"_meta":{"é":"\\u00e9","é2":"\\ud83d\\ude00"}} }', 1.0),
    ('{"jsonrpc":"2.0","id":9007199254740993,"method":"own/method","params":[1,{"a":1,"a":2}]}', 9007199254740993),
    ('{"jsonrpc":"2.0","id":"","method":"own/method"}', ""),
    ('{"jsonrpc":"2.0","id":-3,"method":"tools/list","params":{"cursor":null}}', -3),
    ('{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{ "arguments" : {"b":1.50, "a":"\\/\\u0061 \\u2028","n":12345678901234567890.10},"_meta":{"progressToken":1e0}, "name":"other","task":{} } }', 4),
    ('{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"other"}}', 5),
    ('{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"other","arguments":null}}', 6),
    ('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"ask","arguments":{}}}', 7),
    ('{"jsonrpc":"2.0","id":8,"method":"resources/read","params":{"uri":"x:\\u0079", "_meta":{} }}', 8),
    ('{"jsonrpc":"2.0","id":9,"method":"prompts/get","params":{"name":"\\u0079", "arguments":{"b":"1","a":"2"} }}', 9),
    ('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":777,"reason":"none such"}}', None),
    ('{"jsonrpc":"2.0","id":10,"method":"own/big","params":"%s"}' % ("ü" * 1_000_000), 10),
    ('{"jsonrpc":"2.0","id":11,"method":"ping"}\r', 11),
]

# To the client, in place of the answer to a call.
TO_CLIENT = [
    ' {"result" : {"_meta":{"k":1.0,"a":[ ]}, "isError":false,"content":[ {"text":"\\u00e9\\/","type":"text","own":null} ]} ,"id":@ID@, "jsonrpc":"2.0", "own":1}',
    '{"id":@ID@,"jsonrpc":"2.0","error":{"data":{"a":1,"a":2},"message":"\\u006do","code":-32000}}',
    '{"jsonrpc":"2.0","id":@ID@,"result":{"content":[],"structuredContent":{"n":1e400,"big":12345678901234567890123}}}',
    '{"jsonrpc":"2.0","id":@ID@,"result":{"task":{"taskId":"t","status":"working"}}}',
    '{"jsonrpc":"2.0","id":@ID@,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{}}},"requestState":"s"}}',
    '{"jsonrpc":"2.0","id":@ID@,"result":{"content":[{"type":"text","text":"%s"}]}}' % ("é" * 1_000_000),
]
TOLD = ['{"method":"notifications/own" ,"jsonrpc":"2.0","params":[ 1.0 ]}',
        '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1e0,"progress":0.10,"own":{}}}',
        '{"jsonrpc":"2.0","id":"a\\u0073","method":"own/request"}']


def encoded(lines):
    return [base64.b64encode(line.encode() if isinstance(line, str) else line).decode() for line in lines]


def call_say(id_, lines, **later):
    arguments = {"lines": encoded(lines), "later": {method: encoded(said) for method, said in later.items()}}
    return json.dumps({"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": {"name": "say", "arguments": arguments}})


def session(bench, way):
    """What the server and the client got."""
    bench.fresh()
    record = os.path.join(bench.world, "record")
    answers = {"roots/list": '"result" : {"roots":[ ], "own":1.0}'}
    peer = [bench.python, os.path.join(os.path.dirname(os.path.abspath(__file__)), "peer.py"), record]
    with Client(way(peer), env=bench.environment, cwd=bench.world, answers=answers) as client:
        client.send(INITIALIZE)
        client.answer_to(0)
        for line, id_ in TO_SERVER:
            client.send(line)
            if id_ is not None:
                client.answer_to(id_)
        for number, line in enumerate(TO_CLIENT, 100):
            client.send(call_say(number, [*TOLD, line]))
            client.answer_to(number)
        code = client.end()
        got = [line.decode("utf-8", "surrogateescape").strip() for line in client.lines]
    with open(record, "rb") as file:
        given = [line.decode("utf-8", "surrogateescape").strip() for line in file.read().split(b"\n")]
    # Which of the two directions is first at a place says nothing; the order within each does.
    return ["to the server:", *given, "to the client:", *got, f"exit code {code}"]


def check(bench):
    direct = session(bench, list)
    if len(direct) < len(TO_SERVER) + 4 * len(TO_CLIENT):
        return ["too little came to compare:", *direct]
    return differences(direct, session(bench, bench.through))
