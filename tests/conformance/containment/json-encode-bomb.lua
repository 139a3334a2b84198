-- expect: error
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  local t = {} for i = 1, 3e5 do t[i] = i end snaphook.json.encode(t)
end)
