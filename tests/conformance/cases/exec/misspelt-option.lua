-----
-- grants:
--   exec: [git]
-----
on("tool_call", { command = "option" }, function(event, ctx)
  ctx.exec("git", {}, { timout = 5 })
end)

on("tool_call", { command = "timeout" }, function(event, ctx)
  ctx.exec("git", {}, { timeout = "5" })
end)

on("tool_call", { command = "words" }, function(event, ctx)
  ctx.exec("git", { { "status" } })
end)

on("tool_call", { command = "result" }, function(event, ctx)
  return { context = ctx.exec("git").exit_code }
end)
