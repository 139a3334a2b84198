on("tool_call", function(event)
  return { ask = "Publish it?" }
end)
