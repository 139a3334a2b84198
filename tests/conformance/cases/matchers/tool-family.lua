on("tool_call", { tool = "mcp" }, function(event)
  return { block = true, reason = "a server's tool" }
end)
