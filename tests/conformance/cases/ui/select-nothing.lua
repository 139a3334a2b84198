on("tool_call", function(event, ctx)
  ctx.ui.select("Which?", {})
end)
