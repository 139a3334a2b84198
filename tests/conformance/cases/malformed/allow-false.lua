on("tool_call", function(event)
  return { allow = false }
end)
