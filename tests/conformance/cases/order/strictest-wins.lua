on("tool_call", function(event) return { ask = "sure?" } end)
on("tool_call", function(event) return { block = true, reason = "no" } end)
on("tool_call", function(event) return { allow = true, reason = "fine by me" } end)
on("tool_call", function(event) return {} end)
