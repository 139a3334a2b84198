on("tool_call", function(event) return { block = true, reason = "no" } end)
on("tool_call", function(event) return { command = "other", context = "still heard" } end)
