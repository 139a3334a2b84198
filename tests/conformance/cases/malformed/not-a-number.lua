on("tool_call", function(event)
  return { input = { a = { b = 0/0 } } }
end)
