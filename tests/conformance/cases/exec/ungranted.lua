-----
-- grants:
--   exec: ["cargo:test,build"]
-----
on("tool_call", { command = "^make$" }, function(event, ctx)
  ctx.exec("make", { "all" })
end)

on("tool_call", { command = "^first$" }, function(event, ctx)
  ctx.exec("cargo", { "--config", "x" })
end)

on("tool_call", { command = "^caught$" }, function(event, ctx)
  local ok, problem = pcall(ctx.exec, "make")
  return { context = `{ok} {problem}` }
end)
