test("a bus event takes context only", function(t)
  local r = t.emit("build.finished", {})
  expect(snaphook.json.encode(r.failures)).matches("build\\.finished answer has an unknown key `fail`")
end)
