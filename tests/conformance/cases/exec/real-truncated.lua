-----
-- grants:
--   exec: [head]
-----
on("tool_call", function(event, ctx)
  local result = ctx.exec("head", { "-c", "3000000", "/dev/zero" })
  return { context = `{result.truncated} {#result.stdout <= 1048576} {result.code}` }
end)
