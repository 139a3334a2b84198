-----
-- grants:
--   exec: [git, make]
-----
on("tool_call", function(event, ctx)
  local result = ctx.exec("git", { "status" })
  error("code " .. result.code)
end)

on("tool_call", function(event, ctx)
  local ok, problem = pcall(ctx.exec, "make", {})
  if not ok then
    return { block = true, reason = "no make" }
  end
end)
