test("handlers of a module belong to the hook, and have their own place", function(t)
  local r = t.tool_call{ tool = "bash", command = "first" }
  expect(r).denied("^from gates$")
  expect(r.reasons[1].hook).eq("handlers-in-a-module")
  expect(r.reasons[1].file).matches("handlers-in-a-module/gates\\.(lua|rhai)$")
  expect(r.reasons[1].line).eq(2)
  r = t.tool_call{ tool = "bash", command = "second" }
  expect(r.reasons[1].file).matches("handlers-in-a-module/init\\.(lua|rhai)$")
  expect(r.reasons[1].line).eq(3)
end)
