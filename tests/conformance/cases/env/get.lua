-----
-- grants:
--   exec: [sh]
--   env: [CI, REGION, UNSET]
-----
local ci = snaphook.env.get("CI", "no")

on("tool_call", { command = "^get$" }, function(event, ctx)
  local get = snaphook.env.get
  return { context = `{ci} {get("CI", "no")} {get("REGION")} {get("UNSET") == nil} {get("UNSET", "other")}` }
end)

on("tool_call", { command = "^see$" }, function(event, ctx)
  return { context = ctx.exec("sh", { "-c", "echo $CI $REGION $HIDDEN" }, { env = { REGION = "mine" } }).stdout }
end)

on("tool_call", { command = "^caught$" }, function(event, ctx)
  local ok, problem = pcall(snaphook.env.get, "HIDDEN", "other")
  return { context = `{ok} {problem}` }
end)

on("tool_call", { command = "^missing$" }, function(event, ctx)
  return { context = snaphook.env.get("HIDDEN") }
end)

on("tool_call", { command = "^set$" }, function(event, ctx)
  ctx.exec("sh", { "-c", "true" }, { env = { PATH = "." } })
end)

on("tool_call", { command = "^misspelt$" }, function(event, ctx)
  return { context = snaphook.env.gte("CI") }
end)
