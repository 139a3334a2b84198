on("tool_call", function(event, ctx)
  return { context = snaphook.json.encode({
    snaphook.json.encode({ a = 1, b = { true, "x" } }),
    snaphook.json.encode("quote \" and \n"),
    snaphook.json.encode(2.5),
    snaphook.json.encode(false),
    snaphook.json.encode(snaphook.json.array({})),
    snaphook.json.encode({}),
    snaphook.json.encode({ a = 1 }, true),
    snaphook.json.encode({ a = 1 }, false),
  }) }
end)
