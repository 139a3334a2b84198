test("an event with a dot has any fields", function(t)
  local r = t.emit("build.finished", { result = { ok = true, took = 2.5 } })
  expect(r).sent('^build\\.finished: \\{"ok":true,"took":2\\.5\\} true$')
  expect(t.emit("build.started", { result = 1 }).sent).eq{}
end)
