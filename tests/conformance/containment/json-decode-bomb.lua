-- expect: error
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  snaphook.json.decode('[' .. ('0,'):rep(1.5e7) .. '0]')
end)
