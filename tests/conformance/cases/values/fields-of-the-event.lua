on("tool_call", function(event, ctx)
  local names = {}
  for name in event do
    table.insert(names, name)
  end
  table.sort(names)
  return { context = table.concat(names, " ") }
end)
