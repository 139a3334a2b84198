on("tool_call", function(event)
  return false
end)
