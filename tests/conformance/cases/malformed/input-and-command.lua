on("tool_call", function(event)
  return { input = { command = "a" }, command = "b" }
end)
