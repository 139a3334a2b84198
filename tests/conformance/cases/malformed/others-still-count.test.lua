test("a malformed answer hides nobody's reason", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(#r.reasons).eq(2)
  expect(r.reasons[1].cause).eq("malformed")
  expect(r.reasons[1].line).eq(1)
  expect(r.reasons[2].reason).eq("a policy's no")
  expect(r.reasons[2].cause).eq(nil)
  expect(r.reasons[2].line).eq(5)
end)
