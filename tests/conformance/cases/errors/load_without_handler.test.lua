test("the hook does not load, and its gate is closed", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied('^the hook "load_without_handler" did not load: ')
  expect(r).denied('the hook registers no handler, so it would guard nothing')
  expect(r.reasons[1].cause).eq("load")
  expect(r.reasons[1].hook).eq("load_without_handler")
  expect(r.reasons[1].file).matches("load_without_handler\\.(lua|rhai)$")
end)
