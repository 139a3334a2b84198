on("session_start", function(event, ctx)
  ctx.state.set("k", "state")
  ctx.store.set("k", "store")
end)

on("tool_call", function(event, ctx)
  return { context = tostring(ctx.state.get("k")) .. " " .. tostring(ctx.store.get("k")) }
end)
