test("fail = false passes", function(t)
  local r = t.emit("pre_commit", { files = { "a" } })
  expect(r).allowed()
  expect(r.failures).eq{}
end)
