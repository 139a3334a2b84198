on("tool_result", function(event)
  return { content = event.content, details = event.details, is_error = event.is_error }
end)
