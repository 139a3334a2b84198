-- expect: memory
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  local t = {} while true do t = { t, function() return t end } end
end)
