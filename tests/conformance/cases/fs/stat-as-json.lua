-----
-- grants:
--   read: ["**"]
-----
on("tool_call", function(event, ctx)
  return { context = snaphook.json.encode(snaphook.fs.stat("a")) }
end)
