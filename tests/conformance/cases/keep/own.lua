on("tool_call", function(event, ctx)
  local seen = ctx.state.get("x", "nothing")
  ctx.state.set("x", "first")
  return { context = "first saw " .. seen }
end)
