on("tool_call", function(event)
  return { content = "x", is_error = true }
end)
