test("a question may be put from deep inside", function(t)
  t.ui{ confirm = { true, true, false } }
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("^refused three$")
  expect(#r.asked).eq(3)
end)
