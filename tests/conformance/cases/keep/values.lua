on("agent_start", function(event, ctx)
  ctx.state.set("int", 7)
  ctx.state.set("float", 2.5)
  ctx.state.set("text", "äß🎉")
  ctx.state.set("flag", false)
  ctx.state.set("list", { 1, "two", { 3 } })
  ctx.state.set("map", { a = { b = true } })
  ctx.state.set("empty list", snaphook.json.array({}))
  ctx.state.set("empty map", {})
end)

on("tool_call", function(event, ctx)
  local kept = {}
  for _, key in ctx.state.keys() do
    kept[key] = ctx.state.get(key)
  end
  return { context = snaphook.json.encode(kept) }
end)
