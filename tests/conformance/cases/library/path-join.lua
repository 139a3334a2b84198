on("tool_call", function(event, ctx)
  return { context = snaphook.json.encode({
    snaphook.path.join("a", "b", "../c"),
    snaphook.path.join("a", "/b"),
    snaphook.path.join("a"),
    snaphook.path.normalize("a/./b/../c//d"),
    snaphook.path.normalize("../a/.."),
  }) }
end)
