-- Comes to rest in the second round: what the second handler needs, the first one leaves alone.
on("tool_call", function(event)
  if event.command == "ls" then
    return { command = "ls -l" }
  end
end)

on("tool_call", function(event)
  if event.command == "ls -l" then
    return { command = "ls -la" }
  end
end)
