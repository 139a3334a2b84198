on("tool_call", function(event, ctx)
  local ticket = ctx.ui.input("Ticket?", "ABC-")
  local note = ctx.ui.editor("Note?")
  return { context = tostring(ticket) .. "|" .. tostring(note) }
end)
