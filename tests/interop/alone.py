"""`--listen` for clients of the protocol of 2026-07-28, which begin no session: many of the PyPI SDK's, in front of one server."""

import os
import sys

import anyio
from mcp import Client, stdio_client, types

import sdk
from compare import differences, masked_text
from conformance import Background
from hooked import ASK_TIME, DENY, texts, wanted, written

if sys.version_info < (3, 11):
    from exceptiongroup import BaseExceptionGroup

HERE = os.path.dirname(os.path.abspath(__file__))
NEWEST = "2026-07-28"


def beside(bench, name):
    """The command of a server that lies beside this file."""
    return [bench.python, "-B", os.path.join(HERE, name)]


def busy(bench, way, steps):
    """Runs `steps` with the address of the gate in front of `busy.py`, which it starts, or which listens itself."""
    command = beside(bench, "busy.py")
    if way == "stdio":
        return listening(bench, command, steps)
    server = Background([*command, "0"], env=bench.environment)
    try:
        return listening(bench, None, steps, "--url", server.address)
    finally:
        server.end()


def listening(bench, command, steps, *options, env=None):
    """Runs `steps` with the address of the gate in front of a server."""
    bench.fresh()
    behind = ["--", *command] if command else []
    front = Background([*bench.program, "mcp", "--listen", "127.0.0.1:0", *options, *behind], env=env or bench.environment,
                       cwd=bench.world)

    async def bounded():
        with anyio.fail_after(40):
            return await steps(front.address)

    try:
        got = anyio.run(bounded)
    except BaseExceptionGroup as group:
        while isinstance(group, BaseExceptionGroup):
            group = group.exceptions[0]
        raise group from None
    finally:
        code = front.end()
    panicked = [line for line in front.said if "panicked" in line]
    if code != 0 or panicked:
        raise RuntimeError(f"the gate ended with {code}: {panicked}")
    return got


def same(bench, name):
    """What a client understands is what it understands of the server itself; where that knows no newer protocol, with a session."""
    async def asked(target, mode):
        lines = []
        async with Client(target, mode=mode) as client:
            version = client.protocol_version
            await sdk.ask_all(lines, client, name, bench.world, False)
        return version, [masked_text(line) for line in lines]

    bench.fresh()

    async def direct_():
        with anyio.fail_after(40), open(os.devnull, "w", encoding="utf-8") as quiet:
            return await asked(stdio_client(sdk.parameters(bench, name, bench.server(name)), errlog=quiet), "auto")

    version, direct = anyio.run(direct_)
    if len(direct) < 5:
        return ["too little came to compare:", *direct]
    wrong = []
    for mode in ("auto", NEWEST) if version == NEWEST else ("auto",):
        spoken, through = listening(bench, bench.server(name), lambda url, mode=mode: asked(url, mode), env=bench.environment_of(name))
        wanted(wrong, f"{mode}: the version is the server's", spoken == version, spoken)
        wrong += [f"{mode}: {line}" for line in differences(direct, through)]
    return wrong


def denied(bench):
    """A hook denies a call, and the client understands it."""
    wrong = []
    hook = written(bench, "deny", DENY)

    async def steps(url):
        for mode in ("auto", NEWEST):
            async with Client(url, mode=mode) as client:
                wanted(wrong, f"{mode}: the newer protocol is spoken", client.protocol_version == NEWEST, client.protocol_version)
                result = await client.call_tool("get_current_time", {"timezone": "Asia/Tokyo"})
                wanted(wrong, f"{mode}: denied with the reason", result.is_error and "not today" in str(texts(result)), result)

    listening(bench, bench.server("time"), steps, "--hook", hook)
    return wrong


def asked(bench):
    """A hook asks the person of the client that called, and of no other: by results, of which each is the answer to a request."""
    wrong = []
    hook = written(bench, "ask-alone", ASK_TIME)

    async def one(url, who):
        questions = []

        async def answer(context, params):
            del context
            heading, question, *_ = params.message.split("\n")
            questions.append(question if heading == "Snaphook asks for a hook:" else heading)
            if who % 2:
                return types.ElicitResult(action="decline")
            enum = params.requested_schema.get("properties", {})
            return types.ElicitResult(action="accept", content={"choice": "Europe/Paris"} if enum else {})

        async with Client(url, mode=NEWEST, elicitation_callback=answer) as client:
            result = await client.call_tool("get_current_time", {"timezone": "Asia/Tokyo"})
        if who % 2:
            wanted(wrong, f"{who}: said no", questions == ["Really?"] and "said no" in str(texts(result)), (questions, result))
        else:
            wanted(wrong, f"{who}: said yes", questions == ["Really?", "Where?", "Show it?"] and "Europe/Paris" in str(texts(result)), (questions, result))

    async def steps(url):
        async with anyio.create_task_group() as group:
            for who in range(8):
                group.start_soon(one, url, who)

    listening(bench, bench.server("time"), steps, "--name", "time", "--hook", hook)
    return wrong


def many(bench, way):
    """Clients at once, whose requests have the same ids and tokens: each hears of its own."""
    wrong = []

    async def one(url, who):
        async with Client(url, mode=NEWEST) as client:
            for number in range(5):
                name, told = f"{who}-{number}", []

                async def moved(done, total, message, told=told):
                    told.append((done, total, message))

                result = await client.call_tool("steps", {"who": name, "count": 4}, progress_callback=moved)
                wanted(wrong, f"{name}: its answer", texts(result) == [name], result)
                wanted(wrong, f"{name}: its progress", told == [(step, 4, name) for step in range(4)], told)

    async def steps(url):
        async with anyio.create_task_group() as group:
            for who in range(24):
                group.start_soon(one, url, str(who))

    busy(bench, way, steps)
    return wrong


def listen(bench, way):
    """Each subscription hears of what it asked for; what is changed elsewhere reaches nobody else."""
    wrong = []

    async def steps(url):
        async with Client(url, mode=NEWEST) as one, Client(url, mode=NEWEST) as other, Client(url, mode="auto") as third:
            async with one.listen(resource_subscriptions=["x:one", "x:both"]) as ones:
                async with other.listen(resource_subscriptions=["x:other", "x:both"]) as others:
                    for uri in ("x:nobody", "x:one", "x:other", "x:both"):
                        await third.call_tool("change", {"uri": uri})
                    for whose, events, uris in (("one", ones, ["x:one", "x:both"]), ("other", others, ["x:other", "x:both"])):
                        heard = [(await anext(events)).uri for _ in uris]
                        wanted(wrong, f"{whose} hears its own", heard == uris, heard)
                # The other is gone, and one still hears.
                await third.call_tool("change", {"uri": "x:both"})
                wanted(wrong, "one still hears", (await anext(ones)).uri == "x:both", "it does not")

    busy(bench, way, steps)
    return wrong


def taken_back(bench, way):
    """A client that waits no longer closes its connection; the server's tool is ended, and others go on."""
    wrong = []
    path = os.path.join(bench.world, "waits")

    async def says(text):
        while not os.path.exists(path) or open(path, encoding="utf-8").read() != text:
            await anyio.sleep(0.02)

    async def steps(url):
        async with Client(url, mode=NEWEST) as client:
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "wait", {"path": path})
                await says("begun")
                group.cancel_scope.cancel()
            await says("taken back")
            result = await client.call_tool("steps", {"who": "after", "count": 0})
            wanted(wrong, "the next call is answered", texts(result) == ["after"], result)

    busy(bench, way, steps)
    return wrong


def silent(bench):
    """A server that answers nothing before `initialize`: the client goes back to that."""
    wrong = []

    async def steps(url):
        async with Client(url, mode="auto") as client:
            wanted(wrong, "an earlier protocol is spoken", client.protocol_version == "2025-06-18", client.protocol_version)
            wanted(wrong, "and a tool called", texts(await client.call_tool("say", {})) == ["said"], "it is not")

    listening(bench, beside(bench, "silent.py"), steps)
    return wrong
