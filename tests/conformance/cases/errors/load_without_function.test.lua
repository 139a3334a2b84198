test("the hook does not load, and its gate is closed", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied('^the hook "load_without_function" did not load: ')
  expect(r).denied('on')
  expect(r.reasons[1].cause).eq("load")
  expect(r.reasons[1].hook).eq("load_without_function")
  expect(r.reasons[1].file).matches("load_without_function\\.(lua|rhai)$")
  expect(r.reasons[1].line).eq(2)
end)
