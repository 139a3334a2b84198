on("tool_call", function(event)
  event.input.command = "changed"
  event.input.list = { 1 }
  return { input = event.input }
end)
