-- expect: harmless
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  return { context = ('x'):rep(1e9) }
end)
