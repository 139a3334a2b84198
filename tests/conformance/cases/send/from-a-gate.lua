on("tool_call", function(event, ctx)
  ctx.send("seen: " .. event.command)
  return { block = true, reason = "no" }
end)
