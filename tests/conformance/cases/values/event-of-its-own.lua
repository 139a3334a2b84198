on("tool_call", function(event)
  local before = snaphook.json.encode({ event.command, event.input, event.paths })
  event.command = "mine"
  event.input.command = "mine"
  event.input.more = { 1, 2 }
  return { context = before }
end)
