on("tool_call", function(event)
  if event.command == "ls" then
    return { allow = true }
  end
  return { allow = true, reason = "known to be harmless" }
end)
