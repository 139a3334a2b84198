on("tool_call", function(event)
  error({ message = "no such branch", code = 5 })
end)
