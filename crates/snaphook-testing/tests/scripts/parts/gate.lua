on("tool_call", function(event)
  return { block = event.command == "gate", reason = "part of it" }
end)
