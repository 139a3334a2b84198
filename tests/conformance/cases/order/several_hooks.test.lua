test("hooks run in the order in which they were loaded", function(t)
  t.load("several_hooks")
  t.load("several_hooks_2")
  expect(t.tool_call{ tool = "bash", command = "ls" }.context).eq{ "first", "second" }
end)

test("or the other way round", function(t)
  t.load("several_hooks_2")
  t.load("several_hooks")
  expect(t.tool_call{ tool = "bash", command = "ls" }.context).eq{ "second", "first" }
end)
