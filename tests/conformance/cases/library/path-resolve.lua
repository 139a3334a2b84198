on("tool_call", function(event, ctx)
  return { context = snaphook.json.encode({
    snaphook.path.resolve("/p/q", "../x"),
    snaphook.path.resolve("/p", "/x/../y"),
    snaphook.path.relative("/p/q/x", "/p"),
    snaphook.path.relative("/a/x", "/a/b"),
    snaphook.path.is_inside("/p/x", "/p"),
    snaphook.path.is_inside("/p/../x", "/p"),
    snaphook.path.is_inside("/pq", "/p"),
  }) }
end)
