test("checks are matched by the changed files", function(t)
  expect(t.emit("files_changed", { files = { "a.txt", "x/b.go" } })).denied("^go$")
  expect(t.emit("files_changed", { files = { "a.txt" } })).allowed()
end)
