-- expect: budget
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  local s = ('a'):rep(1e5) s:gsub('.-b', 'x') s:find('.-.-.-.-b')
end)
