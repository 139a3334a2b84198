-----
-- name: tricks
-- grants:
--   net: [example.org, localhost]
-----
on("tool_call", function(event, ctx)
  return { context = snaphook.http.get(event.command).url }
end)
