-- expect: error
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  local c, e = snaphook.shell.commands(('$('):rep(1e5)) error(e)
end)
