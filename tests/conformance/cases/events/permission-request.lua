on("permission_request", function(event, ctx)
  if event.command == "ls" then
    return { allow = true, reason = "only looks" }
  end
  return { block = true, reason = event.tool .. " is not for this session" }
end)
