on("tool_call", function(event, ctx)
  return ctx.ui.confirm("Go on?")
end)
