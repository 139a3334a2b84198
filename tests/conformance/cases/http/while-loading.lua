local res = 1
res = snaphook.http.get("https://example.org/")
on("tool_call", function() end)
