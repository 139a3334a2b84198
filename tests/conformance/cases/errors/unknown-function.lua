on("tool_call", function(event)
  return { block = is_dangerous(event.command), reason = "x" }
end)
