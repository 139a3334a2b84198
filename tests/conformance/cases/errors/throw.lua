on("tool_call", function(event)
  error("boom")
end)
