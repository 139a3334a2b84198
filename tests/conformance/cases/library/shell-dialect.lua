on("tool_call", function(event, ctx)
  local commands = snaphook.shell.commands(event.command, { shell = event.shell })
  return { context = `{event.shell} {if commands then #commands else "not understood"}` }
end)
