on("tool_call", { command = "^git\\s+push\\b" }, function(event)
  return { block = true, reason = "no push" }
end)
