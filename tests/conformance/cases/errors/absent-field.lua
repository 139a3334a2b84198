on("tool_call", function(event)
  return { context = tostring(event.url == nil) .. " " .. tostring(event.content == nil) .. " " .. tostring(event.subagent == nil) }
end)
