-- A misspelt event, and fields that an event does not have.
on("tool_cal", function(event) end) --> both: "tool_cal"
on("tool_cal", { tool = "bash" }, function(event) end) --> both: "tool_cal"

on("tool_call", function(event)
  if event.comand == "make" then --> both: comand
    return { block = true, reason = "no" }
  end
end)

on("tool_call", { tool = "bash" }, function(event, ctx)
  ctx.log(event.comand) --> both: comand
  ctx.log(event.command)
end)

-- `command` is no field of this event, which only a checker with overloads can tell.
on("user_prompt", function(event, ctx)
  ctx.log(event.prompt)
  ctx.log(event.command) --> emmylua: command
end)

-- The fields have types.
on("tool_result", function(event, ctx)
  ctx.log(event.is_error) --> both: boolean
  if event.is_error then
    return { content = event.content .. " (failed)", is_error = true }
  end
end)

on("files_changed", { path = "*.go" }, function(event, ctx)
  for _, file in pairs(event.files) do
    ctx.log(file)
  end
  for _, file in pairs(event.paths) do --> emmylua: paths
    print(file)
  end
end)
