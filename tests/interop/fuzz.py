"""Broken frames from both sides, against the program itself: no panic, no hang, and nothing goes on that was denied.

A hook denies what holds the word FORBIDDEN, and masks the word SECRET in results. What the recording server got is read as the
most lenient of readers would: keys in any case, the first or the last of two. The seed is fixed; `INTEROP_SEED` is another.
"""

import json
import os
import random

from exact import INITIALIZE, call_say
from lines import Client, Silent

HOOK = """-----
-- name: fuzz
-- description: Denies FORBIDDEN, masks SECRET
-----
on("tool_call", function(event)
  if string.find(snaphook.json.encode(event.input) .. event.native_tool, "FORBIDDEN", 1, true) then
    return { block = true, reason = "denied by the hook" }
  end
end)
on("tool_result", function(event)
  local details = string.gsub(snaphook.json.encode(event.details), "SECRET", "[masked]")
  return { content = (string.gsub(event.content, "SECRET", "[masked]")), details = snaphook.json.decode(details) }
end)
"""
CALL = '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"other","arguments":{"a":"FORBIDDEN"}}}'
HARMLESS = '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"other","arguments":{"a":"b"}}}'
GIANT = 80 * 1024 * 1024


def crafted(n):
    """Frames of the client, each a try to get a forbidden call past the gate."""
    call, args = CALL % n, '{"a":"FORBIDDEN"}'
    yield call
    yield call.replace("FORBIDDEN", "\\u0046ORBIDDEN")
    yield call.replace('"method"', '"meth\\u006fd"')
    yield call.replace("tools/call", "tools\\/call")
    # Keys twice, at each place; the harmless first and last.
    yield call.replace('"params":', '"params":{"name":"other","arguments":{}},"params":')
    yield call.replace('"name":"other"', '"name":"other","arguments":{"a":"b"}')
    yield call.replace("}}}", '},"arguments":{"a":"b"}}}')
    yield call.replace("}}}", '},"\\u0061rguments":{"a":"b"}}}')
    yield call.replace('"a":"FORBIDDEN"', '"a":"FORBIDDEN","a":"b"')
    yield call.replace('"a":"FORBIDDEN"', '"a":"FORBIDDEN","\\u0061":"b"')
    yield call.replace('"method":"tools/call"', '"method":"tools/call","method":"ping"')
    yield call.replace('"method":"tools/call"', '"method":"ping","method":"tools/call"')
    # Keys in another case, which some readers take for the same: alone, and beside the right one.
    for key in ("method", "params", "name", "arguments", "id"):
        odd = key.capitalize()
        yield call.replace(f'"{key}"', f'"{odd}"')
        yield call.replace(f'"{key}"', f'"{key.upper()}"')
    yield call.replace('"method":', '"method":"ping","Method":')
    yield call.replace('"method":', '"Method":"ping","method":')
    yield call.replace('"params":', '"params":{"name":"other"},"Params":')
    yield call.replace('"arguments":', '"arguments":{},"Arguments":')
    yield call.replace('"arguments":', '"arguments":{},"argument\u017f":')
    yield call.replace('"name":"other"', '"name":"other","Name":"FORBIDDEN"').replace(args, "{}")
    yield call.replace('"name":"other"', '"name":"FORBIDDEN"').replace(args, "{}")
    # As a notification, a response, in batches.
    yield call.replace(f'"id":{n},', "")
    yield call.replace(f'"id":{n}', '"id":null')
    yield call.replace(f'"id":{n}', '"id":[1]')
    yield call.replace(f'"id":{n}', '"id":true')
    yield call.replace('"method"', '"result":{},"method"')
    yield f"[{call}]"
    yield f"[{HARMLESS % (n + 1)},{call}]"
    yield f"[[{call}]]"
    yield f"[{call},"
    yield f"[{call}] {call}"
    yield call.replace('"tools/call"', '["tools/call"]')
    yield call.replace('"tools/call"', '" tools/call"')
    yield call.replace('"tools/call"', '"Tools/Call"')
    yield call.replace('"2.0"', '"1.0"')
    yield call.replace('"jsonrpc":"2.0",', "")
    # Two in one line, and line ends that only some readers see.
    for between in ("", " ", "\r", "\x0b", "\x0c", "\x85", "\u2028", "\x00", "\x1e"):
        yield f'{{"jsonrpc":"2.0","method":"notifications/x"}}{between}{call}'
        yield f'{{"jsonrpc":"2.0","method":"notifications/x","params":{{}}{between}{call}}}'
    yield f'{{"jsonrpc":"2.0","method":"notifications/x","params":"\r{call}\r"}}'
    # Not UTF-8, other encodings, marks at the start, comments, loose JSON.
    yield b"\xef\xbb\xbf" + call.encode()
    yield call.encode("utf-16")
    yield call.encode().replace(b"FORBIDDEN", b"FORBIDDEN\xff")
    yield call.encode().replace(b'"other"', b'"other\xc0\xaf"')
    yield call.encode().replace(b'"other"', b'"\xed\xa0\x80"')
    yield call.replace("FORBIDDEN", "FORBIDDEN\\ud800")
    yield call + " // comment"
    yield "/* */" + call
    yield call.replace("}}}", "},}}")
    yield call.replace('"', "'")
    yield call.replace('"a"', "a")
    yield call.replace(args, json.dumps(args))
    yield call.replace(args, "[" + args + "]")
    yield call.replace(args, '{"a":' * 200 + '"FORBIDDEN"' + "}" * 200)
    yield call.replace(args, '{"a":' * 100_000 + '"FORBIDDEN"' + "}" * 100_000)
    yield call.replace("FORBIDDEN", "FORBIDDEN" + "x" * 5_000_000)


def bent(chance, frame):
    """A frame with some bytes changed, doubled, cut."""
    data = bytearray(frame if isinstance(frame, bytes) else frame.encode("utf-8", "surrogatepass"))
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(data) + 1)
        how = chance.randrange(5)
        if how == 0:
            del data[at:at + chance.randrange(1, 9)]
        elif how == 1:
            data[at:at] = chance.choice([b'"', b"{", b"}", b"[", b",", b":", b"\\", b"\x00", b"\xff", b"\r", b"null", b'"id":7,'])
        elif how == 2 and at < len(data):
            data[at] ^= 1 << chance.randrange(8)
        elif how == 3:
            data[at:at] = data[at:at + chance.randrange(1, 40)]
        else:
            del data[at:]
    return bytes(data).replace(b"\n", b" ")


def folded(key):
    """As readers fold keys that compare them in any case, two signs of Unicode besides."""
    return key.replace("\u017f", "s").replace("\u212a", "k").lower()


def readings(line):
    """What a line is to readers: strict, first of two keys, keys in any case. Empty if it is no JSON."""
    found = []
    text = line.decode("utf-8", "replace")
    for fold in (str, folded):
        for first in (False, True):
            def made(pairs, fold=fold, first=first):
                pairs = [(fold(key), value) for key, value in pairs]
                return dict(reversed(pairs) if first else pairs)
            try:
                found.append(json.loads(text, object_pairs_hook=made))
            except (ValueError, RecursionError):
                pass
    return found


def forbidden(reading):
    """Whether a reading is a call that the hook denies."""
    if isinstance(reading, list):
        return any(forbidden(part) for part in reading)
    if not isinstance(reading, dict) or reading.get("method") != "tools/call":
        return False
    params = reading.get("params")
    return isinstance(params, dict) and "FORBIDDEN" in json.dumps([params.get("name"), params.get("arguments")])


def judged(record):
    """What of it should never have come to the server."""
    wrong = []
    with open(record, "rb") as file:
        for line in file.read().split(b"\n"):
            if not line.strip():
                continue
            found = readings(line)
            if not found and len(line) < 1_000_000:
                wrong.append(f"the server got what is no message: {line[:300]!r}")
            for part in line.replace(b"\r", b"\n").split(b"\n") if b"\r" in line else [line]:
                if any(forbidden(reading) for reading in readings(part)):
                    wrong.append(f"the server got a denied call: {part[:300]!r}")
                    break
    return wrong


class Session:
    """The program with the hook between, and the recording server behind it."""

    def __init__(self, bench):
        bench.fresh()
        hook = os.path.join(bench.place, "fuzz.lua")
        with open(hook, "w", encoding="utf-8") as file:
            file.write(HOOK)
        os.chmod(hook, 0o600)
        self.record = os.path.join(bench.world, "record")
        self.told = open(os.path.join(bench.place, "stderr"), "wb")
        peer = [bench.python, os.path.join(os.path.dirname(os.path.abspath(__file__)), "peer.py"), self.record]
        command = bench.through(peer, "--name", "peer", "--hook", hook)
        self.client = Client(command, env=bench.environment, cwd=bench.world, stderr=self.told)
        self.pings = 0
        self.client.send(INITIALIZE)
        self.client.answer_to(0)
        self.client.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')

    def alive(self, after):
        """A ping comes back."""
        self.pings += 1
        self.client.send('{"jsonrpc":"2.0","id":"ping %d","method":"ping"}' % self.pings)
        try:
            self.client.answer_to(f"ping {self.pings}")
        except Silent as silent:
            raise Silent(f"after {after[:200]!r}: {silent}") from None

    def end(self):
        """What is wrong at the end."""
        code = self.client.end()
        self.told.close()
        with open(self.told.name, "rb") as file:
            told = file.read().decode("utf-8", "replace")
        wrong = [f"it panicked: {line}" for line in told.splitlines() if "panicked" in line]
        if code != 0:
            wrong += [f"it ended with {code}", *told.splitlines()[-5:]]
        return wrong + judged(self.record)


def seed():
    return random.Random(int(os.environ.get("INTEROP_SEED", "1")))


def from_client(bench):
    chance = seed()
    session = Session(bench)
    with session.client as client:
        frames = list(crafted(1000))
        for number, frame in enumerate(frames):
            client.send(frame if isinstance(frame, bytes) else frame.encode("utf-8", "surrogatepass"))
            if number % 8 == 7:
                session.alive(frame)
        session.alive("the crafted frames")
        small = [frame for frame in frames if len(frame) < 2000]
        for number in range(1500):
            frame = bent(chance, chance.choice(small))
            client.send(frame)
            if number % 50 == 49:
                session.alive(frame)
        # Torn by time: a frame in pieces, others only after it.
        data = (CALL % 5000).encode() + b"\n"
        for at in range(0, len(data), 7):
            client.process.stdin.write(data[at:at + 7])
            client.process.stdin.flush()
        client.answer_to(5000)
        # The same id twice at once, one forbidden; harmless ones are answered.
        client.send(HARMLESS % 6000 + "\n" + CALL % 6000)
        client.send(HARMLESS % 6001)
        client.answer_to(6001)
        # Larger than any message may be.
        client.send((CALL % 7000).replace("FORBIDDEN", "FORBIDDEN" + "x" * GIANT))
        session.alive("a giant frame")
        client.send(HARMLESS % 8000)
        if b"other was called" not in client.answer_to(8000):
            return ["a harmless call is not answered as usual at the end"]
        broken = [line for line in client.lines if not readings(line)]
        # At last a torn frame and the end.
        client.process.stdin.write((CALL % 9000).encode()[:60])
        return session.end() + [f"the client got what is no message: {line[:300]!r}" for line in broken]


def said(n):
    """What a server says in place of an answer, or beside it; `@ID@` is the id that is waited for."""
    ok = '{"jsonrpc":"2.0","id":@ID@,"result":{"content":[{"type":"text","text":"SECRET"}],"structuredContent":{"a":"SECRET"}}}'
    yield [ok]
    yield [ok, ok]
    yield [ok.replace("@ID@", "999999"), ok]
    yield [ok.replace("@ID@", '"@ID@"'), ok]
    yield [ok.replace("@ID@", "@ID@.0"), ok]
    yield [ok.replace("@ID@", "@ID@e0"), ok]
    yield [ok.replace("@ID@", "null"), ok]
    yield [ok.replace("@ID@", "[@ID@]"), ok]
    yield [ok.replace('"id"', '"ID"'), ok]
    yield [ok.replace('"id":@ID@', f'"id":{n + 1},"id":@ID@'), ok]
    yield [ok.replace('"result"', '"result":{"content":[]},"result"'), ok]
    yield [ok.replace('"result"', '"result":{"content":[]},"Result"'), ok]
    yield [ok.replace('"content"', '"content":[],"content"')]
    yield [ok.replace('"content"', '"content":[],"Content"')]
    yield [ok.replace('"text":"SECRET"', '"text":"x","text":"SECRET"')]
    yield [ok.replace('"text":"SECRET"', '"text":"x","Text":"SECRET"')]
    yield [ok.replace('"structuredContent"', '"StructuredContent"')]
    yield [ok.replace('"result"', '"error":{"code":1,"message":"m"},"result"'), ok]
    yield [ok.replace('"type":"text"', '"type":"Text"')]
    yield [ok.replace('{"content"', '{"_meta":{},"content"')]
    yield [ok.replace('"result":', '"result":[') .replace("}}}", "}}]}"), ok]
    yield [ok.replace("SECRET", "\\u0053ECRET")]
    yield [ok[:40], ok]
    yield [ok[:40] + "\r" + ok[40:]]
    yield [f"[{ok}]", ok]
    yield [f"[{ok},{ok}]"]
    yield [ok + ok, ok]
    yield ["", "   ", "rubbish", "Listening on port 3", "{}", "[]", "null", "7", '"x"', "{", ok]
    yield [b"\xff\xfe\x00", ok.encode().replace(b"SECRET", b"SECRET\xff"), ok]
    yield [b"\xef\xbb\xbf" + ok.encode(), ok]
    yield [ok.encode("utf-16").replace(b"\n", b""), ok]
    yield ['{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":null}}', ok]
    yield ['{"jsonrpc":"2.0","id":@ID@,"method":"roots/list"}', ok]
    yield ["[" * 50_000 + "]" * 50_000, ok]
    yield [ok.replace('{"a":"SECRET"}', '{"a":' * 50_000 + '"SECRET"' + "}" * 50_000), ok]
    yield [ok.replace("SECRET", "SECRET" + "x" * 5_000_000)]


def leaked(line):
    """Whether a client that reads the line as leniently as one can finds the word where results say something.

    What a hook is not shown, such as fields that the protocol does not know, is not masked.
    """
    for reading in readings(line):
        for part in reading if isinstance(reading, list) else [reading]:
            result = part.get("result") if isinstance(part, dict) and "method" not in part else None
            if not isinstance(result, dict):
                continue
            blocks = result.get("content")
            for block in blocks if isinstance(blocks, list) else []:
                if isinstance(block, dict) and block.get("type") == "text" and "SECRET" in json.dumps(block.get("text")):
                    return True
            if "SECRET" in json.dumps([result.get("structuredContent"), result.get("structuredcontent")]):
                return True
    return False


def from_server(bench):
    chance = seed()
    session = Session(bench)
    wrong = []
    with session.client as client:
        def say(number, frames):
            before = len(client.lines)
            client.send(call_say(number, frames))
            session.alive(frames[0] if isinstance(frames[0], bytes) else frames[0].encode())
            # Ends the call if nothing did.
            client.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}' % number)
            for line in client.lines[before:]:
                if not readings(line):
                    wrong.append(f"the client got what is no message: {line[:200]!r} of {frames[0][:200]!r}")
                elif leaked(line):
                    wrong.append(f"the client got what a hook masks: {line[:200]!r} of {frames[0][:200]!r}")
        everything = list(said(1))
        for number, frames in enumerate(everything, 100):
            say(number, frames)
        small = [frame for frames in everything for frame in frames if 10 < len(frame) < 2000]
        for number in range(1000, 1300):
            say(number, [bent(chance, chance.choice(small)) for _ in range(3)])
        client.send(call_say(7000, ['{"jsonrpc":"2.0","id":@ID@,"result":{"content":[]},"x":"%s"}' % "x"]))
        client.answer_to(7000)
        client.send('{"jsonrpc":"2.0","id":7001,"method":"tools/call","params":{"name":"big","arguments":{"bytes":%d}}}' % GIANT)
        session.alive("a giant answer")
        client.send(HARMLESS % 8000)
        if b"other was called" not in client.answer_to(8000):
            wrong.append("a harmless call is not answered as usual at the end")
        return wrong + session.end()
