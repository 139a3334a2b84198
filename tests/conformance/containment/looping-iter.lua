-- expect: budget
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  local t = setmetatable({}, { __iter = function() return function() return 1 end end }) for _ in t do end
end)
