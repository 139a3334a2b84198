"""Clients of the PyPI SDK `mcp`: the same session direct and through the gate, in the protocol's older and newer manner.

The SDK checks what it gets against its types; what is compared is all that it understood, and what it was told besides.
"""

import os
import sys

import anyio
from mcp import Client, ClientSession, MCPError, StdioServerParameters, stdio_client
from mcp import types

if sys.version_info < (3, 11):
    from exceptiongroup import BaseExceptionGroup

# What each server is asked: a tool and its arguments; `{world}` stands for the folder it works in.
CALLS = {
    "everything": [("echo", {"message": "ä"}), ("get-tiny-image", {}), ("get-structured-content", {"location": "Chicago"}),
                   ("get-annotated-message", {"messageType": "error", "includeImage": True}), ("get-sum", {"a": 1, "b": 2}),
                   ("trigger-long-running-operation", {"duration": 0.2, "steps": 2}), ("trigger-sampling-request", {"prompt": "p"}),
                   ("trigger-elicitation-request", {}), ("get-roots-list", {}), ("get-sum", {"a": "x"})],
    "filesystem": [("read_text_file", {"path": "{world}/files/sub/deep/a.md"}), ("read_text_file", {"path": "/etc/passwd"}),
                   ("write_file", {"path": "{world}/files/x", "content": "y"}), ("directory_tree", {"path": "{world}/files"}),
                   ("read_media_file", {"path": "{world}/files/dot.png"})],
    "memory": [("create_entities", {"entities": [{"name": "a", "entityType": "t", "observations": ["ü"]}]}), ("read_graph", {}),
               ("search_nodes", {"query": "ü"})],
    "git": [("git_log", {"repo_path": "{world}/repo"}), ("git_diff_unstaged", {"repo_path": "{world}/repo"}),
            ("git_status", {"repo_path": "/not there"})],
    "time": [("convert_time", {"source_timezone": "Europe/Berlin", "time": "16:30", "target_timezone": "Asia/Tokyo"}),
             ("convert_time", {"source_timezone": "x", "time": "16:30", "target_timezone": "Asia/Tokyo"})],
}


def filled(value, world):
    if isinstance(value, str):
        return value.replace("{world}", world)
    if isinstance(value, dict):
        return {key: filled(part, world) for key, part in value.items()}
    return value


async def sampled(context, params):
    del context
    return types.CreateMessageResult(role="assistant", model="none", content=types.TextContent(type="text", text=params.messages[0].content.text))


async def asked(context, params):
    del context, params
    return types.ElicitResult(action="decline")


async def roots(context):
    del context
    return types.ListRootsResult(roots=[types.Root(uri="file:///srv/a", name="a")])


def parameters(bench, name, command):
    return StdioServerParameters(command=command[0], args=command[1:], env=bench.environment_of(name), cwd=bench.world)


async def noted(lines, what, ask):
    """Adds what came of a question, result or error."""
    try:
        result = await ask
        lines.append(f"{what}: {result.model_dump_json(by_alias=True)}")
        return result
    except MCPError as error:
        lines.append(f"{what}: error {error.error.model_dump_json()}")
        return None


async def ask_all(lines, session, name, world, progress):
    """Everything, of a session or a client of the SDK: their methods have the same names."""
    tools = await noted(lines, "tools", session.list_tools())
    resources = await noted(lines, "resources", session.list_resources())
    await noted(lines, "templates", session.list_resource_templates())
    prompts = await noted(lines, "prompts", session.list_prompts())
    for tool, arguments in CALLS[name]:
        async def moved(done, total, message, tool=tool):
            lines.append(f"progress of {tool}: {done} of {total} {message}")
        more = {"progress_callback": moved} if progress else {}
        await noted(lines, tool, session.call_tool(tool, filled(arguments, world), **more))
    for resource in (resources.resources if resources else [])[:3]:
        await noted(lines, f"resource {resource.uri}", session.read_resource(resource.uri))
    for prompt in (prompts.prompts if prompts else [])[:2]:
        await noted(lines, f"prompt {prompt.name}", session.get_prompt(prompt.name, {"city": "x"}))
    lines.append(f"{len(tools.tools) if tools else 0} tools")


async def by_session(bench, name, command):
    lines, told = [], []

    async def heard(message):
        if not isinstance(message, Exception):
            told.append("told: " + message.model_dump_json(by_alias=True))
        else:
            lines.append(f"the session could not read: {message}")

    with open(os.devnull, "w", encoding="utf-8") as quiet:
        async with stdio_client(parameters(bench, name, command), errlog=quiet) as (read, write):
            async with ClientSession(read, write, sampling_callback=sampled, elicitation_callback=asked, list_roots_callback=roots,
                                     message_handler=heard) as session:
                await noted(lines, "initialize", session.initialize())
                await noted(lines, "ping", session.send_ping())
                if name == "everything":
                    # Its tools that depend on the client come with the roots, which it asks for by its own clock.
                    while not any("Roots updated" in line for line in told):
                        await anyio.sleep(0.05)
                    await noted(lines, "level", session.set_logging_level("warning"))
                    await noted(lines, "subscribe", session.subscribe_resource("demo://resource/dynamic/text/1"))
                await ask_all(lines, session, name, bench.world, True)
    return lines + sorted(told)


async def by_client(bench, name, command):
    """The newer manner: no handshake, everything said with each request."""
    lines = []
    with open(os.devnull, "w", encoding="utf-8") as quiet:
        async with Client(stdio_client(parameters(bench, name, command), errlog=quiet), mode="auto") as client:
            lines.append(f"protocol {client.protocol_version}, {client.server_info}")
            await ask_all(lines, client, name, bench.world, False)
    return lines


def run(bench, name, command, manner):
    """What the client understood, as lines."""
    bench.fresh()

    async def bounded():
        with anyio.fail_after(40):
            return await manner(bench, name, command)

    try:
        return anyio.run(bounded)
    except BaseExceptionGroup as group:
        while isinstance(group, BaseExceptionGroup):
            group = group.exceptions[0]
        raise group from None
