-----
-- name: __NAME__
-- description: Shortens long output of commands to its beginning and its end, so that the model reads what matters
-- api: 1
-----
local FIRST, LAST = 40, 80

on("tool_result", { tool = "bash" }, function(event)
  local lines = string.split(event.content, "\n")
  local left_out = #lines - FIRST - LAST
  if left_out <= 0 then
    return nil
  end
  local kept = table.move(lines, 1, FIRST, 1, {})
  table.insert(kept, `[… {left_out} lines left out …]`)
  table.move(lines, #lines - LAST + 1, #lines, #kept + 1, kept)
  return { content = table.concat(kept, "\n") }
end)
