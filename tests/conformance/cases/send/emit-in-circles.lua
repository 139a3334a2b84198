on("ping.pong", function(event, ctx)
  ctx.state.set("depth", event.depth)
  ctx.emit("ping.pong", { depth = event.depth + 1 })
end)

on("turn_end", function(event, ctx)
  ctx.emit("ping.pong", { depth = 1 })
  ctx.send("depth " .. ctx.state.get("depth"))
end)
