on("tool_call", function(event, ctx)
  ctx.agent = "somebody else"
end)
