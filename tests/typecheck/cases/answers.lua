-- What a handler returns. Keys that no answer has are found by Luau's checker only: EmmyLua lets a table have more.
on("tool_call", function(event)
  return { blocked = true, reason = "no" } --> luau: unreachable
end)

on("tool_call", function(event)
  return { block = true, reson = "no" } --> luau: unreachable
end)

on("tool_call", function(event)
  return { block = "yes" } --> both: 
end)

on("tool_call", function(event)
  return { ask = true } --> both: 
end)

on("tool_call", function(event)
  return "no" --> both: string
end)

on("files_changed", function(event)
  return { fail = 1 } --> both: 
end)

local function deny(reason)
  return { block = true, reason = reason }
end

-- Legal answers. In Luau's strict mode a function of the script's own has to say that it gives one: `: Answer`.
on("tool_call", { tool = { "bash", "mcp" } }, function(event)
  if event.command == "a" then
    return { block = true, reason = "no", terminate = true }
  elseif event.command == "b" then
    return { ask = "Really?" }
  elseif event.command == "c" then
    return { command = "make -n", context = "It was made a dry run." }
  elseif event.command == "d" then
    return { input = { command = "ls" } }
  elseif event.command == "e" then
    return deny("no") --> luau: Answer
  elseif event.command == "f" then
    return {}
  elseif event.command == "g" then
    return nil
  end
end)
