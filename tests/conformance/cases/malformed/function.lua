on("tool_call", function(event)
  return function() end
end)
