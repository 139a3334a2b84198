-- expect: budget
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  table.sort({ 1, 2, 3 }, function() while true do end end)
end)
