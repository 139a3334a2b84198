-- expect: budget
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  local s = ('a'):rep(30) .. 'b' s:find(('a*'):rep(30) .. 'c')
end)
