-- expect: budget
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  local function f() return pcall(f) end f() while true do f() end
end)
