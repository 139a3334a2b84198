-- expect: budget
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  local t = setmetatable({}, { __tostring = function() while true do end end }) tostring(t)
end)
