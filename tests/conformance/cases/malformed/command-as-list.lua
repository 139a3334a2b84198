on("tool_call", function(event)
  return { command = { "ls", "-l" } }
end)
