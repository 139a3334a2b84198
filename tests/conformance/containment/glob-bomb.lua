-- expect: error
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  snaphook.glob.matches(('{a,b}'):rep(1e5), 'x')
end)
