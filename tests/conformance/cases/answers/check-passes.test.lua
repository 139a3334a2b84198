test("fail = false passes", function(t)
  local r = t.emit("pre_commit", { files = { "a" } })
  expect(r.checks).eq{ passed = { "check-passes", "check-passes" }, pending = {} }
  expect(r.failures).eq{}
end)
