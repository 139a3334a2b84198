-----
-- grants:
--   exec: [no-such-program-of-this-name]
-----
on("tool_call", function(event, ctx)
  local ok, problem = pcall(ctx.exec, "no-such-program-of-this-name", {}, {})
  return { context = tostring(ok) .. " " .. tostring(problem) }
end)
