test("an object of the host is no answer, though it may look empty", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("tool_call answer: the value is an object of the host$")
  expect(r.reasons[1].cause).eq("malformed")
end)
