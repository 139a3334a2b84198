on("shutdown", function(event, ctx)
  ctx.send("the end: " .. (event.reason or "no reason"))
end)
