-----
-- grants:
--   exec: ["git:status"]
-----
on("tool_call", function(event, ctx)
  local result = ctx.exec("git", { "status", "--short" }, { timeout = 5 })
  return { context = `{result.code}|{result.stdout}|{result.stderr}|{result.timed_out}|{result.truncated}|{result.signal == nil}` }
end)
