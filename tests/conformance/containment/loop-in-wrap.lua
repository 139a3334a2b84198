-- expect: budget
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  coroutine.wrap(function() while true do end end)()
end)
