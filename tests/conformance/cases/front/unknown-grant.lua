-----
-- name: unknown_grant
-- grants:
--   shell: [git]
-----
on("tool_call", function(event) end)
