"""A server on the PyPI SDK, of the protocols before and since 2026-07-28: its tools tell how far they are, change something that
others listen to, wait until they are taken back, and want a header field. On stdio, or with a port as its argument over HTTP (0 is any; the address
stands on standard error).
"""

import sys
from typing import Annotated

import anyio
from mcp.server.mcpserver import Context, MCPServer
from pydantic import Field

server = MCPServer("busy")


@server.tool()
async def steps(who: str, count: int, ctx: Context) -> str:
    """Tells of each step, and gives back who asked."""
    for step in range(count):
        await ctx.report_progress(step, count, who)
        await anyio.sleep(0)
    return who


@server.tool()
async def change(uri: str, ctx: Context) -> str:
    """Says that a resource is another."""
    await ctx.notify_resource_updated(uri)
    return uri


@server.tool()
async def wait(path: str) -> str:
    """Waits, and writes down what became of it."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("begun")
    try:
        await anyio.sleep_forever()
    except anyio.get_cancelled_exc_class():
        with open(path, "w", encoding="utf-8") as file:
            file.write("taken back")
        raise
    return ""


@server.tool()
async def where(region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})]) -> str:
    """Gives back the region, which over HTTP has to stand in a header field, too."""
    return region


if len(sys.argv) > 1:
    server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
else:
    server.run()
