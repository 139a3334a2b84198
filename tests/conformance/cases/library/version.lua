on("tool_call", function(event, ctx)
  return { context = snaphook.json.encode({
    snaphook.regex.matches("^[0-9]+\\.[0-9]+\\.[0-9]+", snaphook.version),
  }) }
end)
