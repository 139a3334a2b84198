-----
-- grants:
--   read: [out/**]
--   write: [out/**]
-----
on("tool_call", function(event, ctx)
  snaphook.fs.make_dir("out/a/b")
  snaphook.fs.write("out/a/b/x", "one\n")
  snaphook.fs.append("out/a/b/x", "two\n")
  snaphook.fs.append("out/a/y", "made")
  snaphook.fs.write("out/z", "first")
  snaphook.fs.write("out/z", "second")
  snaphook.fs.make_dir("out/gone/deep")
  snaphook.fs.remove("out/gone/deep")
  snaphook.fs.remove("out/gone")
  local full = pcall(snaphook.fs.remove, "out/a")
  return { context = snaphook.json.encode({ snaphook.fs.read("out/a/b/x"), snaphook.fs.read("out/a/y"), snaphook.fs.read("out/z"),
    snaphook.fs.list("out"), full }) }
end)
