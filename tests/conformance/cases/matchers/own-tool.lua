on("tool_call", { tool = "frobnicate" }, function(event)
  return { block = true, reason = "known by name" }
end)
