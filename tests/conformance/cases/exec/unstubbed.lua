-----
-- grants:
--   exec: [rm]
-----
on("tool_call", function(event, ctx)
  ctx.exec("rm", { "-rf", "x" })
end)
