on("tool_call", function(event, ctx)
  local input = event.input
  input.half = input.count / 2
  input.next = input.count + 1
  input.big = 2 * 3.5
  return { input = input }
end)
