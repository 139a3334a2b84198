on("tool_call", function(event, ctx)
  local seen = ctx.state.get("x", "nothing")
  ctx.state.set("x", "second")
  return { context = "second saw " .. seen }
end)
