on("tool_call", function(event)
  return { context = event.tool }
end)

on("tool_call", function(event, ctx)
  return { context = ctx.hook }
end)
