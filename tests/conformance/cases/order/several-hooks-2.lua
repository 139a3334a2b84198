on("tool_call", function(event)
  return { context = "second" }
end)
