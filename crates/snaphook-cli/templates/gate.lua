-----
-- name: __NAME__
-- description: Asks before a recursive delete, and blocks command lines that cannot be read
-- api: 1
-- examples:
--   - { tool: bash, command: "ls -la", expect: allow }
--   - { tool: bash, command: "rm -r '", expect: deny, reason: cannot be read }
-----
on("tool_call", { tool = "bash" }, function(event)
  local commands, problem = snaphook.shell.commands(event.command)
  if not commands then
    return { block = true, reason = `this command line cannot be read ({problem}); write it more simply` }
  end
  for _, cmd in commands do
    if cmd.dynamic then
      return { ask = `What this runs is not known before it runs: {cmd.text}. Run it?` }
    end
    if cmd.name == "rm" and cmd:has_flags("r") then
      return { ask = `This deletes a folder with all in it: {cmd.text}. Run it?` }
    end
  end
end)
