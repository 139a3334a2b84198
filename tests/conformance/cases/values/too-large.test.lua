test("an answer has at most 16 MiB", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("is too long|too large")
  expect(r.reasons[1].cause).matches("^(malformed|memory|error)$")
end)
