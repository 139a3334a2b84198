test("an error that is caught is no error", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("^caught: boom$")
  expect(r.reasons[1].cause).eq(nil)
  expect(r.failures).eq{}
end)
