-- expect: error
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  while true do ctx.log('x') ctx.log('x') end
end)
