on("tool_call", function(event)
  if event.command == "evil" then
    return { block = true, reason = "seen" }
  end
end)
