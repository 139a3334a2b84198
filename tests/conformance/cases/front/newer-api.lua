-----
-- name: newer_api
-- api: 99
-----
on("tool_call", function(event) end)
