test("the hook does not load, and its gate is closed", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied('^the hook "load_event_is_no_text" did not load: ')
  expect(r).denied('event|on')
  expect(r.reasons[1].cause).eq("load")
  expect(r.reasons[1].hook).eq("load_event_is_no_text")
  expect(r.reasons[1].file).matches("load_event_is_no_text\\.(lua|rhai)$")
  expect(r.reasons[1].line).eq(2)
end)
