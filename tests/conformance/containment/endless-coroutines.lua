-- expect: budget
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  while true do coroutine.wrap(function() coroutine.yield() end)() end
end)
