test("a value has a depth", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("is nested too deeply")
  expect(r.reasons[1].cause).eq("malformed")
end)
