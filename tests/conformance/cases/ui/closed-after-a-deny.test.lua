test("nobody is asked about what is denied already", function(t)
  t.ui{ confirm = { true } }
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("^no$")
  expect(r.asked).eq{}
  expect(r).sent("^said false$")
end)
