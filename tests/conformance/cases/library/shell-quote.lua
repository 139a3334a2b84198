on("tool_call", function(event, ctx)
  return { context = snaphook.json.encode({
    snaphook.shell.quote("plain-word_1.txt"),
    snaphook.shell.quote("it's"),
    snaphook.shell.quote(""),
    snaphook.shell.quote("$(rm x)"),
  }) }
end)
