test("the hook does not load, and its gate is closed", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied('^the hook "load_unknown_event" did not load: ')
  expect(r).denied('unknown event "tool_cal"; did you mean "tool_call"\\?')
  expect(r.reasons[1].cause).eq("load")
  expect(r.reasons[1].hook).eq("load_unknown_event")
  expect(r.reasons[1].file).matches("load_unknown_event\\.(lua|rhai)$")
  expect(r.reasons[1].line).eq(2)
end)
