on("tool_call", function(event, ctx)
  return event
end)
