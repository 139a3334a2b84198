"""A server of the PyPI SDK over HTTP whose tool wants an argument in a header field, too: a client on stdio knows of no fields, so the
gate has to send them, and those that say what hooks made of the argument."""

import json
import os
import urllib.error
import urllib.request

import anyio
from mcp import Client, stdio_client

import sdk
from alone import NEWEST, beside
from conformance import Background
from hooked import texts, wanted, written

MOVES = """-----
-- name: moves
-- description: Has a region be another
-----
on("tool_call", function(event)
  if event.input.region == "here" then return { input = { region = " thère" } } end
end)
"""


def insists(address):
    """What the server says to a call without the field."""
    meta = {"io.modelcontextprotocol/protocolVersion": NEWEST, "io.modelcontextprotocol/clientCapabilities": {}}
    params = {"name": "where", "arguments": {"region": "here"}, "_meta": meta}
    fields = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": NEWEST,
              "Mcp-Method": "tools/call", "Mcp-Name": "where"}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(address, body, fields), timeout=20) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.read().decode()


def check(bench):
    wrong = []
    bench.fresh()
    server = Background([*beside(bench, "busy.py"), "0"], env=bench.environment)
    command = [*bench.program, "mcp", "--name", "busy", "--url", server.address, "--hook", written(bench, "moves", MOVES)]

    async def session():
        with anyio.fail_after(40), open(os.devnull, "w", encoding="utf-8") as quiet:
            async with Client(stdio_client(sdk.parameters(bench, "busy", command), errlog=quiet), mode="auto") as client:
                wanted(wrong, "the newer protocol is spoken", client.protocol_version == NEWEST, client.protocol_version)
                # The first time before anything was listed.
                for region in ("Zürich", "here", "a b", "=?base64?x?="):
                    result = await client.call_tool("where", {"region": region})
                    want = " thère" if region == "here" else region
                    wanted(wrong, f"{region} arrives", texts(result) == [want] and not result.is_error, result)

    try:
        wanted(wrong, "the server insists on the field", "-32020" in insists(server.address), insists(server.address))
        anyio.run(session)
    finally:
        server.end()
    return wrong
