test("handlers are registered while the hook loads, and then no more", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("on\\(\\) can be called only while the hook loads, not from a handler")
  expect(r.reasons[1].line).eq(2)
end)
