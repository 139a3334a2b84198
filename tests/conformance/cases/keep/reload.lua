local seen = 0

on("tool_call", function(event, ctx)
  seen += 1
  local kept = ctx.state.get("calls", 0) + 1
  ctx.state.set("calls", kept)
  ctx.store.set("calls", kept)
  return { context = `variable {seen} state {kept} store {ctx.store.get("calls")}` }
end)
