on("tool_call", function(event)
  return snaphook.json.array({})
end)
