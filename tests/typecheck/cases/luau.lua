-- luau only: Luau's own syntax, and parameters with types, which find what belongs to another event.
on("tool_call", { tool = "bash" }, function(event, ctx)
  local commands, problem = snaphook.shell.commands(event.command)
  if not commands then return { block = true, reason = `not understood: {problem}` } end
  local count = 0
  for _, cmd in commands do
    count += 1
    local shown = if type(cmd.name) == "string" then cmd.name else cmd.name.text
    ctx.log(`{count}: {shown}`)
    if cmd.dynamic then return { ask = `Run {cmd.text}?` } end
  end
end)

on("user_prompt", function(event: UserPromptEvent, ctx)
  ctx.log(event.prompt)
  ctx.log(event.command) --> luau: command
  return { blok = true } --> luau: unreachable
end)

on("session", function(event: SessionEvent, ctx)
  if event.reason == "start" then return { context = event.previous_session_path } end
end)

on("tool_call", function(event: ToolCallEvent, ctx)
  if event.command == "x" then return { context = event.paths[1] } end
end)

on("tool_call", { tool = "bash" }, function(event: MatchedToolCallEvent)
  if event.command == "x" then return { context = event.command } end
end)

local function deny(reason: string): Answer
  return { block = true, reason = reason }
end

on("tool_call", { tool = "bash" }, function(event)
  if event.command == "make" then return deny("no") end
end)

on("build.finished" :: any, function(event, ctx)
  ctx.log("an event of our own")
end)

on("build.finished", function(event, ctx) end) --> luau: build.finished
