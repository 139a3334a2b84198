on("tool_call", function(event)
  return { block = true, ask = "x?", reason = "x" }
end)
