-- expect: budget
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  local co = coroutine.create(function() while true do end end) while true do coroutine.resume(co) end
end)
