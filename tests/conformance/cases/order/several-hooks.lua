on("tool_call", function(event)
  return { context = "first" }
end)
