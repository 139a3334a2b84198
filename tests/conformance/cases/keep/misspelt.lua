on("tool_call", function(event, ctx)
  ctx.state.put("a", 1)
end)
