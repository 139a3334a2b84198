on("tool_call", function(event) end)
on("tool_call", function(event) return nil end)
on("tool_call", function(event) return {} end)
