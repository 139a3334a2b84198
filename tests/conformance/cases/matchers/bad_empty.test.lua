test("the hook does not load, and its gate is closed", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied('`command` is empty and would match nothing')
  expect(r.reasons[1].cause).eq("load")
  expect(r.reasons[1].file).matches("bad_empty\\.(lua|rhai)$")
  expect(r.reasons[1].line).eq(2)
end)
