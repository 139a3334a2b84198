-----
-- grants:
--   exec: [sh]
-----
on("tool_call", function(event, ctx)
  local result = ctx.exec("sh", { "-c", "kill -TERM $$" })
  return { context = `{result.signal} {result.code == nil} {result.timed_out}` }
end)
