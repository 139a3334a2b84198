test("the hook does not load, and its gate is closed", function(t)
  local loaded, problem = pcall(t.load, "load-syntax-error")
  expect(loaded).eq(false)
  expect(problem).matches('load-syntax-error\\.(lua|rhai):2: ')

  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied('^the hook "load-syntax-error" did not load: ')

  expect(r.reasons[1].cause).eq("load")
  expect(r.reasons[1].hook).eq("load-syntax-error")
  expect(r.reasons[1].line).eq(2)
end)
