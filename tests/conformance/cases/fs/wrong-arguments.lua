-----
-- grants:
--   write: ["**"]
-----
on("tool_call", function(event, ctx)
  if event.command == "path" then snaphook.fs.write({}, "text") end
  if event.command == "text" then snaphook.fs.write("a", nil) end
  if event.command == "empty" then snaphook.fs.write("", "text") end
  snaphook.fs.write("a", "text")
end)
