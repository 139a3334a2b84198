test("the first check that fails stops the run", function(t)
  local r = t.emit("pre_commit", { files = { "a" } })
  expect(r.checks.passed).eq{ "checks-stop" }
  expect(r.checks.failed.reason).eq("second")
  expect(r.checks.pending).eq{ "checks-stop" }
  expect(#r.sent).eq(1)
  expect(r).sent("^first$")
end)
