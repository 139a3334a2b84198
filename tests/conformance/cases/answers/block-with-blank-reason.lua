on("tool_call", function(event)
  return { block = true, reason = " \n " }
end)
