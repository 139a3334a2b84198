on("tool_call", function(event, ctx)
  ctx.state.set("list", { 1 })
  local list = ctx.state.get("list")
  table.insert(list, 2)
  local before = #ctx.state.get("list")
  ctx.state.set("list", list)
  return { context = before .. " " .. #ctx.state.get("list") }
end)
