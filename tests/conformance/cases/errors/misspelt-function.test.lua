test("a function that does not exist denies", function(t)
  pcall(t.load, "misspelt-function")
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("basname")
  expect(r.reasons[1].cause).matches("^(error|load)$")
  expect(r.reasons[1].line).eq(2)
end)
