on("tool_call", function(event)
  return { block = event.command == "rm", reason = "rm is not for you" }
end)
