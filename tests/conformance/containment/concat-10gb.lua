-- expect: memory
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  local t = table.create(1e5, ('x'):rep(1e5)) table.concat(t)
end)
