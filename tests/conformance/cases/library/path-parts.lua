on("tool_call", function(event, ctx)
  return { context = snaphook.json.encode({
    snaphook.path.basename("/p/x.tar.gz"),
    snaphook.path.dirname("/p/q/x"),
    snaphook.path.extension("/p/x.tar.gz"),
    snaphook.path.extension(".env"),
    snaphook.path.is_absolute("/p"),
    snaphook.path.is_absolute("p"),
  }) }
end)
