on("context", function(event)
  table.insert(event.messages, "one")
  return { messages = event.messages }
end)

on("context", function(event)
  table.insert(event.messages, "two")
  return { messages = event.messages }
end)
