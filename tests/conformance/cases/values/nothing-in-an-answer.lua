on("tool_call", function(event, ctx)
  return { block = nil, reason = nil, context = "x", command = nil }
end)
