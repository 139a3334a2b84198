-----
-- grants:
--   read: [docs/**, "!docs/*.key", src/]
-----
on("tool_call", function(event, ctx)
  return { context = snaphook.json.encode(snaphook.fs.list(event.command)) }
end)
