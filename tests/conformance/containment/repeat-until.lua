-- expect: budget
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  repeat until false
end)
