"""A server that says what it is told to, byte for byte, and keeps what it was given, byte for byte.

    peer.py RECORD

The tool `say` writes the lines of its argument `lines` (base64); in them `@ID@` stands for the call's id. Its argument `later` has
lines for the requests of other methods. `big` answers with a
text of that many bytes, `ask` asks the client in odd spelling first. `initialize` and `tools/list` are answered; so is any
other call, with its name.
"""

import base64
import json
import sys


def out(data):
    sys.stdout.buffer.write(data + b"\n")
    sys.stdout.buffer.flush()


def answer(id_, result):
    out(json.dumps({"jsonrpc": "2.0", "id": id_, "result": result}).encode())


def text(words, **more):
    return dict({"content": [{"type": "text", "text": words}]}, **more)


LATER = {}


def say(id_, lines):
    for line in lines:
        out(base64.b64decode(line).replace(b"@ID@", json.dumps(id_).encode()))


def call(id_, params):
    name, arguments = params.get("name"), params.get("arguments") or {}
    if name == "say":
        LATER.update(arguments.get("later", {}))
        say(id_, arguments["lines"])
    elif name == "big":
        answer(id_, text("x" * arguments["bytes"]))
    elif name == "ask":
        out(b'{ "id" : "a\\u0073k" ,"jsonrpc":"2.0" , "method":"roots/list","params":{"_meta":{"n":1.0e0}} }')
        answer(id_, text("asked"))
    else:
        answer(id_, text(f"{name} was called"))


def main():
    tools = [{"name": name, "description": name, "inputSchema": {"type": "object"}} for name in ("say", "big", "ask", "other", "forbidden")]
    with open(sys.argv[1], "ab", buffering=0) as record:
        for line in sys.stdin.buffer:
            record.write(line)
            try:
                message = json.loads(line)
                method, id_ = message.get("method"), message.get("id")
            except (ValueError, AttributeError, RecursionError):
                continue
            if method == "initialize":
                answer(id_, {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
                             "serverInfo": {"name": "peer", "version": "0"}})
            elif method == "tools/list":
                answer(id_, {"tools": tools})
            elif method == "tools/call" and isinstance(message.get("params"), dict):
                call(id_, message["params"])
            elif method in LATER and id_ is not None:
                say(id_, LATER[method])
            elif method is not None and id_ is not None:
                answer(id_, {})


main()
