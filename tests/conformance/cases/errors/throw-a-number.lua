on("tool_call", function(event)
  error(17)
end)
