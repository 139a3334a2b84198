-- expect: error
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  table.move({}, 1, 2^31 - 2, 2)
end)
