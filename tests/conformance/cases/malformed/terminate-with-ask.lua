on("tool_call", function(event)
  return { ask = "x?", terminate = true }
end)
