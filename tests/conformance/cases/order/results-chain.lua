on("tool_result", function(event)
  return { content = event.content .. "1", context = "a" }
end)

on("tool_result", function(event)
  error("broken")
end)

on("tool_result", function(event)
  return { content = event.content .. "2", context = "b" }
end)
