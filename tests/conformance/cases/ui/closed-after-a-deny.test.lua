test("nobody is asked about what is denied already, and a handler that would ask ends there", function(t)
  t.ui{ confirm = { true } }
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("^no$")
  expect(r.asked).eq{}
  expect(#r.sent).eq(1)
  expect(r).sent("^before$")
end)
