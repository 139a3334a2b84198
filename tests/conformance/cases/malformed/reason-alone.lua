on("tool_call", function(event)
  return { reason = "no" }
end)
