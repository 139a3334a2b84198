on("tool_call", function(event, ctx)
  local count = ctx.state.get("count", 0) + 1
  ctx.state.set("count", count)
  return { context = "call " .. count }
end)
