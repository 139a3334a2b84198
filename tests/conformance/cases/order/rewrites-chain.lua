on("tool_call", function(event)
  if not event.command:find("-a", 1, true) then
    return { command = event.command .. " -a" }
  end
end)

on("tool_call", function(event)
  if not event.command:find("-b", 1, true) then
    return { command = event.command .. " -b" }
  end
end)
