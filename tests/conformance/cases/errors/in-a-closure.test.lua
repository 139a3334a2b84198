test("also inside of a closure", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("failed: item 2$")
  expect(r.reasons[1].line).eq(10)
end)
