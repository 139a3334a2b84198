on("tool_call", function(event)
  return { command = "timeout 60 " .. event.command }
end)
