on("tool_call", function(event)
  return { ask = true }
end)
