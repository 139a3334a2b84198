-----
-- grants:
--   exec: [first, second]
-----
on("tool_call", function(event, ctx)
  ctx.exec("first")
  return { command = event.command .. " 1" }
end)

on("tool_call", function(event, ctx)
  ctx.exec("second")
  return { command = event.command .. " 2", context = event.command }
end)
