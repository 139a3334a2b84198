on("tool_call", { tool = { "write", "edit" } }, function(event)
  return { block = true, reason = event.tool }
end)
