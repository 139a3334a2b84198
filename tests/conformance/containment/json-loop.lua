-- expect: budget
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  while true do snaphook.json.encode({ 1, 2, 3 }) end
end)
