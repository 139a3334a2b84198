on("tool_call", function(event)
  return 1
end)
