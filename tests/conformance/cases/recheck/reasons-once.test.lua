test("a handler that runs again says the same once", function(t)
  t.ui{ confirm = { true } }
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).allowed()
  expect(#r.asked).eq(1)
  expect(r).input{ command = "ls -l" }
end)
