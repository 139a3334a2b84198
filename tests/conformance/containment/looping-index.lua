-- expect: budget
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  local t = setmetatable({}, { __index = function(t, k) while true do end end }) return { context = t.x }
end)
