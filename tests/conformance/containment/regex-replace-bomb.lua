-- expect: error
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  snaphook.regex.replace('a+', ('a'):rep(1e6), ('$0'):rep(1e6))
end)
