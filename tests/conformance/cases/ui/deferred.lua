on("tool_call", { command = "^ask" }, function(event)
  return { ask = "Publish it?" }
end)

on("tool_call", { command = "^confirm" }, function(event, ctx)
  ctx.send("before")
  local yes = ctx.ui.confirm("Delete it?", "all of it")
  ctx.send("after " .. tostring(yes))
end)

on("tool_call", { command = "^select" }, function(event, ctx)
  return { context = tostring(ctx.ui.select("Which?", { "a" }) == nil) .. " " .. tostring(ctx.has_ui) }
end)
