on("tool_call", function(event)
  return { block = true, allow = true, reason = "x" }
end)
