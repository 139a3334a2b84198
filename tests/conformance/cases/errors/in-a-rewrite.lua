on("tool_result", function(event)
  error("boom")
end)
