on("turn_end", function(event, ctx)
  ctx.send(string.rep("x", 70000))
end)
