on("tool_call", function(event, ctx)
  return { context = snaphook.json.encode({
    snaphook.time.now(),
    snaphook.time.iso(),
    snaphook.time.iso(0),
    snaphook.time.iso(1.5),
    snaphook.time.parse("1970-01-01T00:01:00Z"),
    snaphook.time.parse("1970-01-01T01:00:00+01:00"),
  }) }
end)
