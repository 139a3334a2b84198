-- expect: nothing
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  (''):rep(2^53)
end)
