-----
-- grants:
--   exec: [sleep]
-----
on("tool_call", function(event, ctx)
  local result = ctx.exec("sleep", { "60" }, { timeout = 0.1 })
  return { context = `{result.timed_out} {result.code == nil}` }
end)
