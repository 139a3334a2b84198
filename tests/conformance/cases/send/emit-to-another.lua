on("turn_end", function(event, ctx)
  ctx.emit("work.done", { what = "turn " .. event.turn_index })
end)
