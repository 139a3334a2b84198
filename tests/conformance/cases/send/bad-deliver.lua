on("tool_call", { command = "value" }, function(event, ctx)
  ctx.send("x", { deliver = "later" })
end)

on("tool_call", { command = "key" }, function(event, ctx)
  ctx.send("x", { delivr = "now" })
end)
