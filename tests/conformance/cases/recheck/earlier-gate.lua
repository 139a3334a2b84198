on("tool_call", function(event)
  if event.command:find("rm -rf", 1, true) then
    return { block = true, reason = "a recursive delete" }
  end
end)

on("tool_call", function(event)
  if event.command == "clean" then
    return { command = "rm -rf build" }
  end
end)
