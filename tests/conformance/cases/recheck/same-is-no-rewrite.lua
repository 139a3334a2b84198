on("tool_call", function(event)
  return { command = event.command }
end)

on("tool_call", function(event)
  return { input = event.input }
end)
