on("tool_call", function(event, ctx)
  return { context = snaphook.json.encode({
    snaphook.regex.replace("(\\w)(\\d)", "a1 b2", "$2$1"),
    snaphook.regex.replace("(?<n>x)", "axb", "${n}y$$"),
    snaphook.regex.replace("z", "abc", "x"),
    snaphook.regex.escape("a.b*(c)"),
  }) }
end)
