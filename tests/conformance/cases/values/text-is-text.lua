on("tool_call", function(event)
  local words = {}
  for _, word in string.split(event.command, " ") do
    table.insert(words, word)
  end
  local first = string.sub(event.command, 1, 3)
  return { context = snaphook.json.encode({ #words, first, string.upper(first), string.find(event.command, "b", 1, true) ~= nil }) }
end)
