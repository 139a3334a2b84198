on("tool_call", function(event, ctx)
  ctx.state.set("f", function() end)
end)
