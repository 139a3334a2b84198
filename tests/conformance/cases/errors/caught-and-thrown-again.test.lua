test("an error may be thrown again", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("failed: again: boom$")
  expect(r.reasons[1].line).eq(3)
end)
