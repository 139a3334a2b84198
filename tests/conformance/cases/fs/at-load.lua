-----
-- grants:
--   read: [rules.txt]
-----
local rules = if snaphook.fs.exists("rules.txt") then snaphook.fs.read("rules.txt") else "none"
on("tool_call", function(event, ctx)
  return { context = rules }
end)
