on("tool_call", function(event, ctx)
  local kinds = {}
  for _, key in { "text", "list", "number", "flag" } do
    table.insert(kinds, type(event.input[key]))
  end
  return { context = table.concat(kinds, " ") }
end)
