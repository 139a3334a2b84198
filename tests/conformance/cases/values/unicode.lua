on("tool_call", function(event, ctx)
  return { command = event.command .. " 日本 ñ", context = "schön 🎉" }
end)
