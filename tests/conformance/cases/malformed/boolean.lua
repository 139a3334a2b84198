on("tool_call", function(event)
  return true
end)
