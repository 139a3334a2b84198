marker = "first was here"

on("tool_call", function(event)
  return { context = marker }
end)
