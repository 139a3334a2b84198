on("tool_call", function(event, ctx)
  local first = ctx.ui.confirm("one?")
  local second = ctx.ui.confirm("two?")
  local third = ctx.ui.select("three?", { "x", "y" })
  return { context = `{first} {second} {third}` }
end)
