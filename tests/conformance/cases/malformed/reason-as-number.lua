on("tool_call", function(event)
  return { block = true, reason = 5 }
end)
