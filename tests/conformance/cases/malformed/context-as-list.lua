on("tool_call", function(event)
  return { context = { "a", "b" } }
end)
