on("tool_result", { tool = "read", path = "*.env" }, function(event)
  return { content = "withheld" }
end)
