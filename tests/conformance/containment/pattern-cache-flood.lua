-- expect: budget
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  local i = 0 while true do i += 1 snaphook.regex.matches('a' .. i, 'b') string.find('x', 'y' .. i) end
end)
