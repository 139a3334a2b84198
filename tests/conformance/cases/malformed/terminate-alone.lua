on("tool_call", function(event)
  return { terminate = true }
end)
