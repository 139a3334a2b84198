-----
-- name: Guardian of the build
-- description: Blocks everything
-----
on("tool_call", function(event)
  return { block = true }
end)
