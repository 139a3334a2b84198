require("broken")
on("tool_call", function(event) end)
