test("a module with a fault is named with its line", function(t)
  local loaded, problem = pcall(t.load, "broken-module")
  expect(loaded).eq(false)
  expect(problem).matches("broken-module/broken\\.(lua|rhai):2: ")
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r.reasons[1].cause).eq("load")
  expect(r.reasons[1].line).eq(2)
end)
