on("tool_call", function(event, ctx)
  local runs = ctx.store.get("runs", {})
  table.insert(runs, event.command)
  ctx.store.set("runs", runs)
  return { context = table.concat(runs, ",") .. " in " .. #ctx.store.keys() }
end)
