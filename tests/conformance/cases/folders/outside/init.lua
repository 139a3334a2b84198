local other = require("../module/words")
on("tool_call", function(event) end)
