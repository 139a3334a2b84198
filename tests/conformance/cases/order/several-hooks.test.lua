test("hooks run in the order in which they were loaded", function(t)
  t.load("several-hooks")
  t.load("several-hooks-2")
  expect(t.tool_call{ tool = "bash", command = "ls" }.context).eq{ { hook = "several-hooks", text = "first" }, { hook = "several-hooks-2", text = "second" } }
end)

test("or the other way round", function(t)
  t.load("several-hooks-2")
  t.load("several-hooks")
  expect(t.tool_call{ tool = "bash", command = "ls" }.context).eq{ { hook = "several-hooks-2", text = "second" }, { hook = "several-hooks", text = "first" } }
end)
