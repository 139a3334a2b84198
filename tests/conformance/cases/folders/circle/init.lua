require("a")
on("tool_call", function(event) end)
