test("an empty matcher takes everything", function(t)
  expect(t.tool_call{ tool = "bash", command = "ls" }).denied("everything")
  expect(t.tool_call{ tool = "glob", input = { pattern = "*" } }).denied("everything")
end)
