-- expect: error
local hog = {}
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  for i = 1, 1000 do
    on("tool_call", function() end)
  end
end)
