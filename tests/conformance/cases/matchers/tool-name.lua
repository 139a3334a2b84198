on("tool_call", { tool = "bash" }, function(event)
  return { block = true, reason = "a shell" }
end)
