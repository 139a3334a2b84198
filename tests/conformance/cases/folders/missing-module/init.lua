local words = require("wrds")
on("tool_call", function(event) end)
