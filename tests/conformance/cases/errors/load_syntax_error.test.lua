test("the hook does not load, and its gate is closed", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied('^the hook "load_syntax_error" did not load: ')
  expect(r).denied('did not load')
  expect(r.reasons[1].cause).eq("load")
  expect(r.reasons[1].hook).eq("load_syntax_error")
  expect(r.reasons[1].file).matches("load_syntax_error\\.(lua|rhai)$")
  expect(r.reasons[1].line).eq(2)
end)
