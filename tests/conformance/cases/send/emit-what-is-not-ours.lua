on("tool_call", { command = "lifecycle" }, function(event, ctx)
  ctx.emit("turn_end", { turn_index = 1 })
end)

on("tool_call", { command = "payload" }, function(event, ctx)
  ctx.emit("a.b", { 1, 2 })
end)
