-- expect: budget
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  pcall(function() while true do end end) return { allow = true }
end)
