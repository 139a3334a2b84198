on("tool_call", function(event, ctx)
  local input = event.input
  local seen = { kept = input.none == snaphook.json.null, absent = input.nothing == nil }
  input.added = true
  return { input = input, context = snaphook.json.encode(seen) }
end)
