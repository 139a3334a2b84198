on("tool_result", function(event)
  return { content = 5 }
end)

on("tool_result", function(event)
  return { isError = true }
end)

on("tool_result", function(event)
  return "text"
end)
