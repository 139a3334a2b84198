on("tool_call", function(event)
  return { input = {} }
end)
