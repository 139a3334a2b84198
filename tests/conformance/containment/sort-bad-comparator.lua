-- expect: harmless
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  table.sort({ 3, 1, 2, 5, 4 }, function() return true end)
end)
