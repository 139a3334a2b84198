-----
-- name: speaker
-- description: Does what the command line says, for the tests of the bench
-- grants:
--   exec: [git, /usr/bin/git, gitk, rg, cat, "cargo:test"]
-----
on("tool_call", { tool = "bash" }, function(event, ctx)
  local word, rest = event.command:match("^(%S+)%s*(.*)$")
  if word == "block" then
    return { block = true, reason = rest, terminate = rest == "all" }
  elseif word == "ask" then
    return { ask = rest }
  elseif word == "confirm" then
    return { block = not ctx.ui.confirm("Sure?", rest), reason = "not sure" }
  elseif word == "select" then
    return { context = tostring(ctx.ui.select("Which?", { "red", "green" })) }
  elseif word == "input" then
    return { context = tostring(ctx.ui.input("Name?", "nobody")) .. "/" .. tostring(ctx.ui.editor("Text?")) }
  elseif word == "notify" then
    ctx.ui.notify(rest, "warn")
    ctx.ui.set_status("build", "running")
  elseif word == "send" then
    ctx.send(rest)
    ctx.send("later " .. rest, { deliver = "follow_up" })
  elseif word == "exec" then
    local words = rest:split(" ")
    local program = table.remove(words, 1)
    local ok, result = pcall(ctx.exec, program, words)
    if not ok then return { block = true, reason = result } end
    return { context = `{result.code} {result.timed_out} {result.stdout}{result.stderr}` }
  elseif word == "count" then
    ctx.state.set("n", (ctx.state.get("n") or 0) + 1)
    ctx.store.set("n", (ctx.store.get("n") or 0) + 1)
    return { context = `{ctx.state.get("n")} {ctx.store.get("n")}` }
  elseif word == "where" then
    return { context = `{ctx.agent} {ctx.scope} {event.id} {event.subagent} {ctx.cwd} {ctx.project_root}` }
  elseif word == "time" then
    return { context = tostring(snaphook.time.now()) }
  elseif word == "rewrite" then
    return { input = { command = "rewritten", deep = { list = { 1, 2 } } } }
  elseif word == "emit" then
    ctx.emit("speaker.said", { text = rest })
  elseif word == "fail" then
    error(rest)
  end
end)

on("tool_call", { tool = { "write", "edit", "web_fetch" } }, function(event)
  return { block = true, reason = `{event.paths[1]} {event.content} {event.url}` }
end)

on("tool_result", function(event)
  if event.is_error then
    return { content = "failed: " .. event.content, is_error = false, details = { seen = event.details } }
  end
  return { content = (event.content:gsub("secret", "***")) }
end)

on("speaker.said", function(event, ctx)
  ctx.ui.notify("heard " .. event.text)
  if event.text == "boom" then error("no") end
end)

on("agent_end", function() return { continue_with = "go on", context = "noted" } end)
on("files_changed", function(event) return { fail = #event.files > 1, reason = "too many" } end)
on("files_changed", function() end)
on("user_prompt", function(event) return { prompt = event.prompt .. "!" } end)
on("permission_request", function(event) return { block = true, reason = "permission " .. event.command } end)
