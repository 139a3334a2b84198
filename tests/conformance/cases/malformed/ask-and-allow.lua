on("tool_call", function(event)
  return { ask = "x?", allow = true }
end)
