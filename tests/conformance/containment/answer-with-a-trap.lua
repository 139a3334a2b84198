-- expect: error
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  return { input = setmetatable({}, { __index = function() while true do end end, __iter = function() while true do end end }), x = error('no') }
end)
