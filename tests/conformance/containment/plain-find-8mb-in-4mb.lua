-- expect: budget
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  local s = ('x'):rep(8e6) local n = ('x'):rep(4e6) .. 'y' while true do s:find(n, 1, true) end
end)
