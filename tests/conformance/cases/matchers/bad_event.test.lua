test("an event that has no tool cannot be matched by one", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("user_prompt events have nothing that `tool` could match")
  expect(r.reasons[1].cause).eq("load")
  expect(r.reasons[1].line).eq(2)
end)
