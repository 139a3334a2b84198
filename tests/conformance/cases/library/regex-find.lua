on("tool_call", function(event, ctx)
  return { context = snaphook.json.encode({
    snaphook.regex.find("(?<key>\\w+)=(\\d+)?", "x a= b=2").text,
    snaphook.regex.find("(?<key>\\w+)=(\\d+)?", "a=").groups,
    snaphook.regex.find("(?<key>\\w+)=(\\d+)?", "a=5").names,
    snaphook.regex.find("z", "a") == nil,
  }) }
end)
