on("tool_call", function(event)
  return { block = true, reason = "x", command = "ls" }
end)
