-----
-- grants:
--   read: ["**"]
-----
on("tool_call", function(event, ctx)
  local stat = snaphook.fs.stat(".")
  if stat.type == "file" then return { block = true, reason = "a file" } end
end)
