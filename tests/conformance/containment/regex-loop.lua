-- expect: budget
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  while true do snaphook.regex.matches('(a*)*b', ('a'):rep(1000)) end
end)
