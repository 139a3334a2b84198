on("tool_call", function(event)
  event.input.command = "changed"
  event.command = "changed"
end)

on("tool_call", function(event)
  return { context = event.command .. " " .. event.input.command }
end)
