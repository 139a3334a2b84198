on("tool_call", function(event)
  local input = event.input
  input.command = "pwd"
  input.extra = { 1, { two = 2 } }
  return { input = input }
end)
