-----
-- grants:
--   exec: [count]
-----
on("tool_call", function(event, ctx)
  local total = 0
  for i = 1, 5 do
    local result = ctx.exec("count", { i })
    total += tonumber(result.stdout)
  end
  return { context = "total " .. total }
end)
