local words = require("words")
on("tool_call", function(event) end)
