on("tool_call", function(event)
  return { contxt = "x" }
end)
