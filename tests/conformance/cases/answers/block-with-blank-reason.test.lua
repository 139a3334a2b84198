test("a blank reason is none", function(t)
  expect(t.tool_call{ tool = "bash", command = "ls" }).denied("which gave no reason")
end)
