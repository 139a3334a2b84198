test("it denies, and is told apart from a policy's no", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied('tool_call handler returned the number 1, not a (table|map) of answers')
  expect(#r.reasons).eq(1)
  expect(r.reasons[1].cause).eq("malformed")
  expect(r.reasons[1].file).matches("number\\.(lua|rhai)$")
  expect(r.reasons[1].line).eq(1)
  expect(r).input{ command = "ls" }
end)
