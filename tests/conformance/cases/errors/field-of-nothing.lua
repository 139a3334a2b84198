on("tool_call", function(event)
  return { block = event.input.options.force, reason = "x" }
end)
