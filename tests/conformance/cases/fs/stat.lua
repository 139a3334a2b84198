-----
-- grants:
--   read: ["**"]
-----
on("tool_call", function(event, ctx)
  local stat = snaphook.fs.stat(event.command)
  local exists = snaphook.fs.exists(event.command)
  if not stat then return { context = tostring(exists) } end
  return { context = snaphook.json.encode({ exists, stat.kind, stat.size, stat.modified > 1700000000 }) }
end)
