test("state has four functions", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("put")
  expect(r.reasons[1].cause).eq("error")
  expect(r.reasons[1].line).eq(2)
end)
