-- expect: memory
on("tool_call", function(event, ctx)
  if event.command == "ok" then
    return { allow = true }
  end
  local b = {} while true do b[#b + 1] = buffer.create(1e6) end
end)
