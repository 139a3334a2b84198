test("the message of a thrown map is what is told", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("no such branch")
  expect(r.reasons[1].cause).eq("error")
  expect(r.reasons[1].line).eq(2)
end)
