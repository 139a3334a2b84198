on("tool_call", function(event)
  local command = event.command
  if comand == "rm" then
    return { block = true, reason = "no" }
  end
end)
