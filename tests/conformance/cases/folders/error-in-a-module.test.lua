test("an error has the file and the line of the module", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("failed: no rule for bash$")
  expect(r.reasons[1].cause).eq("error")
  expect(r.reasons[1].file).matches("error-in-a-module/rules\\.(lua|rhai)$")
  expect(r.reasons[1].line).eq(3)
end)
