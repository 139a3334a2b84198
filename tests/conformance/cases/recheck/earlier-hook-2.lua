on("tool_call", function(event)
  return { command = "evil" }
end)
