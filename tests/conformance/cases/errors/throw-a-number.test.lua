test("anything that is thrown denies", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("17")
  expect(r.reasons[1].cause).eq("error")
end)
