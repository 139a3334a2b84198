-----
-- name: unknown_key
-- grant: [git]
-----
on("tool_call", function(event) end)
