on("tool_result", function(event)
  local details = event.details or {}
  details.seen = true
  return { details = details, is_error = true }
end)
