-- expect: error
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  snaphook.json.decode(('['):rep(1e6))
end)
