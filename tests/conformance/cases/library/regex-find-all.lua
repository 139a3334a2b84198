on("tool_call", function(event, ctx)
  return { context = snaphook.json.encode({
    #snaphook.regex.find_all("a", "banana"),
    #snaphook.regex.find_all("a", "banana", 2),
    snaphook.regex.find_all("(\\w)(\\d)", "a1 b2")[2].groups,
    #snaphook.regex.find_all("z", "banana"),
  }) }
end)
