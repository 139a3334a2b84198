-- expect: budget
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  local t = {} for i = 1, 3e5 do t[i] = (i % 2 == 0 and 'a' or 'b') end local a, b = ('x'):rep(4e6) .. 'a', ('x'):rep(4e6) .. 'b' for i = 1, #t do t[i] = i % 2 == 0 and a or b end table.sort(t)
end)
