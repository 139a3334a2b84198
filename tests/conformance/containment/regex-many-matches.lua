-- expect: memory|budget|stuck
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  local t = {} while true do t[#t + 1] = snaphook.regex.find_all('(a)', ('a'):rep(5e6), 1e9) end
end)
