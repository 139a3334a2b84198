test("the hook does not load, and its gate is closed", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied('^the hook "load_throws" did not load: ')
  expect(r).denied('not on this machine')
  expect(r.reasons[1].cause).eq("load")
  expect(r.reasons[1].hook).eq("load_throws")
  expect(r.reasons[1].file).matches("load_throws\\.(lua|rhai)$")
  expect(r.reasons[1].line).eq(2)
end)
