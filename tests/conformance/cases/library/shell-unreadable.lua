on("tool_call", function(event, ctx)
  local commands, problem = snaphook.shell.commands(event.command)
  if not commands then
    return { block = true, reason = "not understood: " .. problem }
  end
  return { context = tostring(#commands) }
end)
