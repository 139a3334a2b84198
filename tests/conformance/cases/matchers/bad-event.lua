on("tool_result", { path = "*.rs" }, function(event) end)
on("user_prompt", { tool = "bash" }, function(event) end)
