local function inner(text)
  error("deep: " .. text)
end

local function outer(text)
  inner(text)
end

on("tool_call", function(event)
  outer(event.command)
end)
