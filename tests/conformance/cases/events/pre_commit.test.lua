test("a commit is checked", function(t)
  expect(t.emit("pre_commit", { files = { "a", "b" } })).allowed()
  expect(t.emit("pre_commit", { files = { "a", "b", "c" } })).denied("^too many files$")
end)
