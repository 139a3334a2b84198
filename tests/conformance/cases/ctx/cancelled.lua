-----
-- grants:
--   exec: ["true"]
-----
on("tool_call", function(event, ctx)
  local before = ctx.cancelled
  ctx.exec("true")
  return { context = `{before} {ctx.cancelled}` }
end)
