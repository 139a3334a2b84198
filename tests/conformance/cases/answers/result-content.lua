on("tool_result", function(event)
  return { content = event.content:upper(), context = "it was louder" }
end)
