on("tool_call", function(event)
  return { blocked = true, reason = "no" }
end)
