on("tool_call", { command = "^danger" }, function(event)
  return { block = true, reason = "danger" }
end)

on("tool_call", { command = "^harmless" }, function(event)
  return { command = "danger" }
end)
