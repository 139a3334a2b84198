-----
-- grants:
--   exec: [sh]
--   env: [GREETING]
-----
on("tool_call", function(event, ctx)
  local result = ctx.exec("sh", { "-c", event.command, "sh", "one two", 3 }, { stdin = "given\n", env = { GREETING = "hi" }, cwd = "sub" })
  return { context = snaphook.json.encode({ result.code, result.stdout, result.stderr, result.timed_out }) }
end)
