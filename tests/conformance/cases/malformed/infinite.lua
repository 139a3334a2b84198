on("tool_call", function(event)
  return { input = { a = { 1, 1/0 } } }
end)
