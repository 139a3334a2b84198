on("tool_call", function(event)
  return { block = true, reason = "no" }
end)

on("tool_call", function(event, ctx)
  ctx.send("before")
  ctx.ui.confirm("Go on?")
  ctx.send("after")
end)
