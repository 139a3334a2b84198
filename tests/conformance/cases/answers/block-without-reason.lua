on("tool_call", function(event)
  return { block = true }
end)
