on("tool_call", { writes = "*.lock" }, function(event)
  return { ask = "Change it by hand?" }
end)
