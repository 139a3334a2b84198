local function again(n)
  return 1 + again(n + 1)
end

on("tool_call", function(event)
  if event.command == "loop" then
    again(1)
  end
end)
