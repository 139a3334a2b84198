test("a module that is not there keeps the hook from loading", function(t)
  local loaded, problem = pcall(t.load, "missing-module")
  expect(loaded).eq(false)
  expect(problem).matches('missing-module/init\\.(lua|rhai):1: no module "wrds" in the hook.s folder; did you mean "words"\\?')
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("did not load")
  expect(r.reasons[1].cause).eq("load")
end)
