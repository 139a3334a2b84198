-- expect: memory|budget
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  local t = {} for i = 1, 2e6 do t[i] = { {}, {} } end return { input = { t = t } }
end)
