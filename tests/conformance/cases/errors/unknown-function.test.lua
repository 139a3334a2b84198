test("a function that nobody wrote denies", function(t)
  pcall(t.load, "unknown-function")
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("is_dangerous")
  expect(r.reasons[1].cause).matches("^(error|load)$")
  expect(r.reasons[1].line).eq(2)
end)
