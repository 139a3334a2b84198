-- expect: error
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  string.split(('x'):rep(1e6), ('x'):rep(1000))
end)
