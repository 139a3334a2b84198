on("tool_call", function(event, ctx)
  ctx.state.set("big", string.rep("x", 1100000))
end)

on("tool_result", function(event, ctx)
  ctx.store.set("big", string.rep("x", 1100000))
end)
