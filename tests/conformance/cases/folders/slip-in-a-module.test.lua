test("a slip of the pen in a module denies, with its place", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("tool_call events have no field `comand`; did you mean `command`\\?")
  expect(r.reasons[1].file).matches("slip-in-a-module/rules\\.(lua|rhai)$")
  expect(r.reasons[1].line).eq(3)
end)
