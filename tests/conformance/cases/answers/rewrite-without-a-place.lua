on("tool_call", function(event)
  return { url = "https://example.com" }
end)
