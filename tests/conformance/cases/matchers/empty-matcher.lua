on("tool_call", {}, function(event)
  return { block = true, reason = "everything" }
end)
