on("tool_call", function(event)
  if event.comand == "rm" then
    return { block = true, reason = "no" }
  end
end)
