on("tool_call", { tool = "mcp__git*__*" }, function(event)
  return { block = true, reason = event.tool }
end)
