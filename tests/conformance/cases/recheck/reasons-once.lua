on("tool_call", function(event)
  return { ask = "Sure?" }
end)

on("tool_call", function(event)
  if event.command == "ls" then
    return { command = "ls -l" }
  end
end)
