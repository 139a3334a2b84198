-----
-- grants:
--   exec: [make]
-----
on("tool_call", function(event, ctx)
  local result = ctx.exec("make")
  return { context = `{result.code == nil} {result.signal} {result.timed_out} {result.code ~= 0}` }
end)
