local seen = {}

on("tool_call", function(event)
  table.insert(seen, event.command)
  return { context = table.concat(seen, ",") }
end)
