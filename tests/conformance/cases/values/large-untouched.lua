on("tool_result", function(event, ctx)
  return { context = event.tool .. " " .. tostring(event.is_error) }
end)
