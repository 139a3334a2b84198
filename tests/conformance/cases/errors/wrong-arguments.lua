on("tool_call", { command = "^confirm" }, function(event, ctx)
  ctx.ui.confirm()
end)

on("tool_call", { command = "^send" }, function(event, ctx)
  ctx.send({ "a" })
end)

on("tool_call", { command = "^matches" }, function(event, ctx)
  snaphook.regex.matches("a")
end)
