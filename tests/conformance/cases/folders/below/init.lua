local rules = require("lib/rules")

on("tool_call", function(event)
  return { context = rules.tell(event.tool) }
end)
