on("tool_call", function(event) return { ask = "Really?" } end)
on("tool_call", function(event) return { ask = "Really?" } end)
on("tool_call", function(event) return { ask = "Truly?" } end)
