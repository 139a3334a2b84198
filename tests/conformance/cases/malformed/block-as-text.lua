on("tool_call", function(event)
  return { block = "yes", reason = "no" }
end)
