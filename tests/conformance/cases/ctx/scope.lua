on("tool_call", function(event, ctx)
  return { context = ctx.scope }
end)
