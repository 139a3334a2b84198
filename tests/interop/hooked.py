"""Hooks at work on servers and with clients that no one here wrote: the examples, unchanged, and a question to the person."""

import json
import os

import anyio
from mcp import Client, ClientSession, stdio_client
from mcp import types

import sdk
from servers import SECRET

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "../../hooks-examples")

DENY = """-----
-- name: deny
-- description: Denies everything
-----
on("tool_call", function() return { block = true, reason = "not today" } end)
"""

ASK = """-----
-- name: ask
-- description: Asks before anything is written
-----
on("tool_call", function(event, ctx)
  if event.native_tool == "write_file" and not ctx.ui.confirm("Really?", "Something is written.") then
    return { block = true, reason = "the person said no" }
  end
end)
"""


ASK_TIME = """-----
-- name: ask-newer
-- description: Asks whether, and where, and who may see it
-----
on("tool_call", function(event, ctx)
  if event.native_tool ~= "get_current_time" then return end
  if not ctx.ui.confirm("Really?") then return { block = true, reason = "the person said no" } end
  return { input = { timezone = ctx.ui.select("Where?", { "Asia/Tokyo", "Europe/Paris" }) } }
end)
on("tool_result", function(event, ctx)
  if event.native_tool == "get_current_time" and not ctx.ui.confirm("Show it?") then return { content = "not shown" } end
end)
"""


def wanted(wrong, what, is_so, got):
    if not is_so:
        wrong.append(f"{what}: {got}")


def texts(result):
    return [block.text for block in result.content if block.type == "text"]


def run(bench, hooks, steps, elicit=None):
    """Runs `steps` with a session of the SDK, the hooks between it and server-filesystem."""
    bench.fresh()
    options = ["--name", "files"]
    for hook in hooks:
        options += ["--hook", hook]
    command = bench.through(bench.server("filesystem"), *options)

    async def session_():
        with anyio.fail_after(40), open(os.devnull, "w", encoding="utf-8") as quiet:
            async with stdio_client(sdk.parameters(bench, "filesystem", command), errlog=quiet) as (read, write):
                async with ClientSession(read, write, elicitation_callback=elicit) as session:
                    await session.initialize()
                    await steps(session)

    anyio.run(session_)


def hook_path(language, name):
    for end in (f"{name}.{language}", name):
        path = os.path.realpath(os.path.join(EXAMPLES, language, end))
        if os.path.exists(path):
            return path
    raise FileNotFoundError(name)


def examples(bench, language):
    """protected-paths denies writing `.env`; redact-secrets masks a token in what is read."""
    wrong = []
    files = os.path.join(bench.world, "files")

    async def steps(session):
        env = os.path.join(files, ".env")
        for tool, arguments in [("write_file", {"path": env, "content": "KEY=other"}), ("read_text_file", {"path": env}),
                                ("edit_file", {"path": env, "edits": [{"oldText": "KEY", "newText": "K"}]}),
                                ("move_file", {"source": env, "destination": os.path.join(files, "x")}),
                                ("read_multiple_files", {"paths": [os.path.join(files, "notes.txt"), env]})]:
            result = await session.call_tool(tool, arguments)
            wanted(wrong, f"{tool} on .env is denied with isError", result.is_error and any(".env" in text for text in texts(result)), result)
        plain = await session.call_tool("read_text_file", {"path": os.path.join(files, "notes.txt")})
        wanted(wrong, "another file is read", not plain.is_error and texts(plain) == ["one\ntwo\nthree\n"], plain)
        await session.call_tool("write_file", {"path": os.path.join(files, "new.txt"), "content": "written"})
        for tool, arguments in [("read_text_file", {"path": os.path.join(files, "config.txt")}),
                                ("read_multiple_files", {"paths": [os.path.join(files, "config.txt")]})]:
            result = await session.call_tool(tool, arguments)
            whole = result.model_dump_json()
            wanted(wrong, f"{tool}: the token is masked", "[redacted" in whole and not result.is_error, whole)
            wanted(wrong, f"{tool}: the token is nowhere", SECRET not in whole, whole)

    run(bench, [hook_path(language, "protected-paths"), hook_path(language, "redact-secrets")], steps)
    env = os.path.join(files, ".env")
    if not os.path.exists(env):
        return [*wrong, ".env is no more"]
    with open(env, encoding="utf-8") as file:
        wanted(wrong, ".env is as it was", file.read() == "KEY=value\n", "it is not")
    wanted(wrong, "what is allowed was written", os.path.exists(os.path.join(files, "new.txt")), "it was not")
    return wrong


def newer(bench):
    """A client of the protocol of 2026-07-28 understands a denial."""
    wrong = []
    bench.fresh()
    hook = written(bench, "deny", DENY)
    command = bench.through(bench.server("time"), "--hook", hook)

    async def session():
        with anyio.fail_after(40), open(os.devnull, "w", encoding="utf-8") as quiet:
            async with Client(stdio_client(sdk.parameters(bench, "time", command), errlog=quiet), mode="auto") as client:
                wanted(wrong, "the newer protocol is spoken", client.protocol_version == "2026-07-28", client.protocol_version)
                result = await client.call_tool("get_current_time", {"timezone": "Asia/Tokyo"})
                wanted(wrong, "denied with the reason", result.is_error and "not today" in json.dumps(texts(result)), result)

    anyio.run(session)
    return wrong


def elicitation_newer(bench):
    """The same with a client and a server of the protocol of 2026-07-28, in which the question is a result and the answer another call."""
    wrong = []
    hook = written(bench, "ask-newer", ASK_TIME)
    for action in ("accept", "hide", "decline", "cancel", None):
        questions = []

        async def answer(context, params, action=action, questions=questions):
            del context
            questions.append(params)
            if action == "hide":
                action = "decline" if "Show it?" in params.message else "accept"
            if action != "accept":
                return types.ElicitResult(action=action)
            enum = next(iter(params.requested_schema.get("properties", {}).values()), {}).get("enum")
            return types.ElicitResult(action="accept", content={"choice": "Europe/Paris"} if enum else {})

        bench.fresh()
        command = bench.through(bench.server("time"), "--name", "time", "--hook", hook)
        got = {}

        async def session(command=command, answer=answer if action else None, got=got):
            with anyio.fail_after(40), open(os.devnull, "w", encoding="utf-8") as quiet:
                client = Client(stdio_client(sdk.parameters(bench, "time", command), errlog=quiet), mode="auto", elicitation_callback=answer)
                async with client:
                    got["version"] = client.protocol_version
                    got["other"] = await client.call_tool("convert_time", {"source_timezone": "UTC", "target_timezone": "Asia/Tokyo", "time": "12:00"})
                    got["result"] = await client.call_tool("get_current_time", {"timezone": "Asia/Tokyo"})

        anyio.run(session)
        said = f"{action or 'no elicitation'}: "
        result = got["result"]
        wanted(wrong, said + "the newer protocol is spoken", got["version"] == "2026-07-28", got["version"])
        wanted(wrong, said + "another tool asks nobody", not got["other"].is_error, got["other"])
        # behind the heading that a question of ours has
        asked = [question.message.removeprefix("Snaphook asks for a hook:\n").split("\n")[0] for question in questions]
        all_three = ["Really?", "Where?", "Show it?"]
        wanted(wrong, said + "asked", asked == {"accept": all_three, "hide": all_three, None: []}.get(action, ["Really?"]), asked)
        if action == "hide":
            wanted(wrong, said + "the result is hidden", result.is_error and texts(result) == ["not shown"], result)
        elif action == "accept":
            wanted(wrong, said + "what was chosen reaches the server", not result.is_error and "Europe/Paris" in json.dumps(texts(result)), result)
        else:
            wanted(wrong, said + "denied with the reason", result.is_error and "the person said no" in json.dumps(texts(result)), result)
    return wrong


def written(bench, name, text):
    """A hook, as a file."""
    path = os.path.join(bench.place, f"{name}.lua")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o600)
    return path


def elicitation(bench):
    """`ctx.ui.confirm` reaches the person through the client: accept is yes; decline, cancel and a client without are no."""
    wrong = []
    hook = written(bench, "ask", ASK)
    for action in ("accept", "decline", "cancel", None):
        questions = []

        async def answer(context, params, action=action, questions=questions):
            del context
            questions.append(params)
            if action != "accept":
                return types.ElicitResult(action=action)
            content = {}
            for name, field in params.requested_schema.get("properties", {}).items():
                content[name] = True if field.get("type") == "boolean" else (field.get("enum") or ["yes"])[0]
            return types.ElicitResult(action="accept", content=content)

        path = os.path.join(bench.world, "files/asked.txt")
        got = {}

        async def steps(session, got=got, path=path):
            tools = await session.call_tool("list_allowed_directories", {})
            got["other"] = tools.is_error
            got["result"] = await session.call_tool("write_file", {"path": path, "content": "x"})

        run(bench, [hook], steps, answer if action else None)
        said = f"{action or 'no elicitation'}: "
        wanted(wrong, said + "another tool asks nobody", not got["other"], got)
        wanted(wrong, said + "asked once", len(questions) == (1 if action else 0), questions)
        wanted(wrong, said + "the question is in it", all("Really?" in question.message for question in questions), questions)
        if action == "accept":
            wanted(wrong, said + "the tool ran", not got["result"].is_error and os.path.exists(path), got["result"])
        else:
            wanted(wrong, said + "denied with the reason",
                   got["result"].is_error and "the person said no" in json.dumps(texts(got["result"])), got["result"])
            wanted(wrong, said + "the tool did not run", not os.path.exists(path), "it did")
    return wrong
