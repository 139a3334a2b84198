on("tool_call", function(event, ctx)
  local numbers = snaphook.json.decode("[1, 1.0, 2.5, -7, -0.0, 0.1, 1e300, 9007199254740992, -9007199254740992, 123456789012]")
  return { context = snaphook.json.encode(numbers) }
end)
