-- Line 2 is where it goes wrong.
on("tool_call", function(event) if end)
