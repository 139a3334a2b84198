on("tool_call", function(event) return { allow = true, reason = "yes" } end)
