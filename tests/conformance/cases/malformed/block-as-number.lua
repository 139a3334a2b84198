on("tool_call", function(event)
  return { block = 1, reason = "no" }
end)
