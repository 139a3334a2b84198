-- expect: memory
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  local t = {} xpcall(function() while true do t[#t + 1] = ('x'):rep(1e6) .. #t end end, function() end) return { allow = true }
end)
