on("tool_call", function(event)
  return "nonsense"
end)

on("tool_call", function(event)
  return { block = true, reason = "a policy's no" }
end)
