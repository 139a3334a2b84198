test("an event that has no tool cannot be matched by one", function(t)
  local loaded, problem = pcall(t.load, "bad-event")
  expect(loaded).eq(false)
  expect(problem).matches("bad-event\\.(lua|rhai):2: user_prompt events have nothing that `tool` could match")
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("user_prompt events have nothing that `tool` could match")
  expect(r.reasons[1].cause).eq("load")
  expect(r.reasons[1].line).eq(2)
end)
