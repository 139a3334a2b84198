test("each hook has its own", function(t)
  t.load("own")
  t.load("own-2")
  expect(t.tool_call{ tool = "bash", command = "ls" }.context).eq{ { hook = "own", text = "first saw nothing" }, { hook = "own-2", text = "second saw nothing" } }
  expect(t.tool_call{ tool = "bash", command = "ls" }.context).eq{ { hook = "own", text = "first saw first" }, { hook = "own-2", text = "second saw second" } }
end)
