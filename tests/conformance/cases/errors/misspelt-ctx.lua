on("tool_call", function(event, ctx)
  return { block = ctx.hasUI, reason = "x" }
end)
