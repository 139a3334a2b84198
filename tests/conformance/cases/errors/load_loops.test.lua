test("the hook does not load, and its gate is closed", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied('^the hook "load_loops" did not load: ')
  expect(r).denied('budget|too long|CPU')
  expect(r.reasons[1].cause).eq("load")
  expect(r.reasons[1].hook).eq("load_loops")
  expect(r.reasons[1].file).matches("load_loops\\.(lua|rhai)$")
end)
