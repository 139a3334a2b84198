on("tool_call", function(event)
  return { input = { 1, 2 } }
end)
