-- expect: budget
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  while true do snaphook.shell.commands('echo ' .. ('{a,b}'):rep(20)) end
end)
