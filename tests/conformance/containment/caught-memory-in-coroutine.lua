-- expect: memory
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  local t = {} coroutine.resume(coroutine.create(function() while true do t[#t + 1] = ('x'):rep(1e6) .. #t end end)) return { allow = true }
end)
