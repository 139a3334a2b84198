on("tool_call", function(event, ctx)
  ctx.send(event.command)
  return { command = event.command .. "!" }
end)
