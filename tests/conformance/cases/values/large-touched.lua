on("tool_result", function(event, ctx)
  local length = #event.content
  return { content = event.content .. "!", context = `{length} {event.content:sub(-3)} {#event.details.text}` }
end)
