on("tool_call", function(event, ctx)
  return ctx
end)
