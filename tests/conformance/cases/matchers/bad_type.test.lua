test("the hook does not load, and its gate is closed", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied('`tool` takes text or a list of texts')
  expect(r.reasons[1].cause).eq("load")
  expect(r.reasons[1].file).matches("bad_type\\.(lua|rhai)$")
  expect(r.reasons[1].line).eq(2)
end)
