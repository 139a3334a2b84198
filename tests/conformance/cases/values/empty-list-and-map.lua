on("tool_call", function(event, ctx)
  local input = event.input
  input.new_list = snaphook.json.array({})
  input.new_map = {}
  return { input = input }
end)
