on("tool_call", function(event, ctx)
  if not ctx.ui.confirm("Recursive delete", event.command) then
    return { block = true, reason = "not approved" }
  end
end)
