-----
-- name: examples
-- description: Blocks a recursive delete
-- examples:
--   - { tool: bash, command: "rm -rf /", expect: deny, reason: recursive }
--   - { tool: bash, command: "rm x", expect: ask }
--   - { tool: read, path: "a.txt", expect: allow }
-----
on("tool_call", { tool = "bash", command = "^rm" }, function(event)
  if snaphook.shell.commands(event.command)[1]:has_flags("r") then
    return { block = true, reason = "a recursive delete" }
  end
  return { ask = "Delete it?" }
end)
