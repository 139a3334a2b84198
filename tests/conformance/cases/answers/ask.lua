on("tool_call", function(event)
  if event.command == "with" then
    return { ask = "Go on?", reason = "it writes" }
  end
  return { ask = "Go on?" }
end)
