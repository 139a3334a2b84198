"""A client of the PyPI SDK that the conformance suite starts: it does what there is to do with the server at the address that is
its last argument. With the gate's command in `GATE`, one word a line, through that.
"""

import json
import os
import sys

import anyio
from mcp import Client, MCPError, StdioServerParameters, stdio_client, types

SOME = {"string": "x", "boolean": True, "integer": 3, "number": 5}


def filled(schema):
    """A value for each property."""
    properties = (schema or {}).get("properties") or {}
    return {name: field.get("default", SOME.get(field.get("type"), "x")) for name, field in properties.items()}


async def answer(context, params):
    del context
    return types.ElicitResult(action="accept", content=filled(getattr(params, "requested_schema", None)))


async def tried(ask):
    """What a question comes to; what the server refuses is the suite's affair."""
    try:
        return await ask
    except (MCPError, RuntimeError) as error:
        print(f"refused: {error}", file=sys.stderr)
        return None


async def main():
    transport = sys.argv[-1]
    if "GATE" in os.environ:
        command, *arguments = [*os.environ["GATE"].split("\n"), "--url", transport]
        transport = stdio_client(StdioServerParameters(command=command, args=arguments, env=dict(os.environ)))
    # What a scenario wants to be called, if it says so.
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    with anyio.fail_after(25):
        async with Client(transport, mode="auto", elicitation_callback=answer) as client:
            listed = await tried(client.list_tools())
            tools = [{"name": tool.name, "arguments": filled(tool.input_schema)} for tool in (listed.tools if listed else [])]
            for call in context.get("toolCalls") or tools:
                await tried(client.call_tool(call["name"], call.get("arguments") or {}))
            resources, prompts = await tried(client.list_resources()), await tried(client.list_prompts())
            for resource in (resources.resources if resources else [])[:2]:
                await tried(client.read_resource(resource.uri))
            for prompt in (prompts.prompts if prompts else [])[:2]:
                await tried(client.get_prompt(prompt.name, {}))


anyio.run(main)
