on("tool_call", function(event, ctx)
  return { context = snaphook.json.encode(event) }
end)
