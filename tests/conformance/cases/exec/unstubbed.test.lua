test("in a test nothing runs that nobody asked for", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied('the test has no stub for "rm -rf x"')
  expect(r.reasons[1].cause).eq("error")
  expect(r.reasons[1].line).eq(6)
end)
