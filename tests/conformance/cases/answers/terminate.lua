on("tool_call", function(event)
  return { block = true, reason = "enough", terminate = true, context = "stop here" }
end)
