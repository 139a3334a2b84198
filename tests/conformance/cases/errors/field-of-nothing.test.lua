test("a field of what is not there is an error", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("force")
  expect(r.reasons[1].cause).eq("error")
  expect(r.reasons[1].line).eq(2)
end)
