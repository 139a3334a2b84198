local rules = require("rules")

on("tool_call", function(event)
  rules.judge(event)
end)
