on("work.done", function(event, ctx)
  ctx.send("heard of " .. event.what)
end)
