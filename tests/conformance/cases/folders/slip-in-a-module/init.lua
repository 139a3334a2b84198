local rules = require("rules")

on("tool_call", function(event)
  return rules.judge(event)
end)
