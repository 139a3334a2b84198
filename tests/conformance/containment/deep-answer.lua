-- expect: malformed
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  local t = {} for i = 1, 1e4 do t = { t } end return { input = { t = t } }
end)
