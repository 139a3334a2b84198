on("tool_call", function(event)
  return { input = "ls" }
end)
