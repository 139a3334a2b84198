on("tool_call", function(event, ctx)
  return { context = snaphook.json.encode({
    snaphook.json.decode("[1, 2.5, true, \"x\"]"),
    snaphook.json.decode("{\"a\": {\"b\": []}}").a,
    snaphook.json.decode("\"\\u00e4\""),
    snaphook.json.decode(" 7 ") + 1,
    snaphook.json.decode("null") == snaphook.json.null,
  }) }
end)
