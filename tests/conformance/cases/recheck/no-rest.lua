on("tool_call", function(event) return { command = "one" } end)
on("tool_call", function(event) return { command = "two" } end)
