-----
-- grants:
--   read: [docs/**, "./*.md"]
-----
on("tool_call", function(event, ctx)
  return { context = snaphook.fs.read(event.command) }
end)
