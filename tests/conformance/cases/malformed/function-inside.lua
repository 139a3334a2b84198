on("tool_call", function(event)
  return { block = function() end }
end)
