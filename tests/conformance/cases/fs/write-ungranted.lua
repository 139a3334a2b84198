-----
-- grants:
--   read: ["**"]
--   write: [out/**]
-----
on("tool_call", function(event, ctx)
  snaphook.fs.write(event.command, "harm")
end)
