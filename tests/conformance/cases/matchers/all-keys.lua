on("tool_call", { tool = "bash", command = "rm", path = "*.db" }, function(event)
  return { block = true, reason = "all of it" }
end)
