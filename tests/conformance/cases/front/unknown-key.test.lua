test("a key that is not known is an error with its line", function(t)
  local loaded, problem = pcall(t.load, "unknown-key")
  expect(loaded).eq(false)
  expect(problem).matches("unknown-key\\.(lua|rhai):3: .*unknown key `grant`")
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("unknown key `grant`")
  expect(r.reasons[1].cause).eq("load")
  expect(r.reasons[1].line).eq(3)
end)
