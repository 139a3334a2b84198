on("tool_call", function(event)
  on("tool_result", function() end)
end)
