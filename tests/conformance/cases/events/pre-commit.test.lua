test("a commit is checked", function(t)
  expect(t.emit("pre_commit", { files = { "a", "b" } }).checks.failed).eq(nil)
  expect(t.emit("pre_commit", { files = { "a", "b", "c" } }).checks.failed.reason).matches("^too many files$")
end)
