on("tool_result", function(event, ctx)
  return { context = snaphook.json.encode(event) }
end)
