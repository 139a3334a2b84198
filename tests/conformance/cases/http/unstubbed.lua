-----
-- name: unstubbed
-- grants:
--   net: [example.org]
-----
on("tool_call", function(event, ctx)
  snaphook.http.get("https://example.org/")
end)
