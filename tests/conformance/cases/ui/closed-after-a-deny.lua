on("tool_call", function(event)
  return { block = true, reason = "no" }
end)

on("tool_call", function(event, ctx)
  local yes = ctx.ui.confirm("Go on?")
  ctx.send("said " .. tostring(yes))
end)
