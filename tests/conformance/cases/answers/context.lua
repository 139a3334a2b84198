on("tool_call", function(event)
  return { context = "the project uses tabs" }
end)

on("tool_call", function(event)
  return { context = "the project uses tabs" }
end)

on("tool_call", function(event)
  return { allow = true, context = "and no semicolons" }
end)
