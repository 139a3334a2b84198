on("tool_call", function(event, ctx)
  return { context = snaphook.path.basname("a/b") }
end)
