test("checks are matched by the changed files", function(t)
  expect(t.emit("files_changed", { files = { "a.txt", "x/b.go" } }).checks.failed.reason).matches("^go$")
  expect(t.emit("files_changed", { files = { "a.txt" } }).checks.failed).eq(nil)
end)
