test("each hook has its own", function(t)
  t.load("own")
  t.load("own_2")
  expect(t.tool_call{ tool = "bash", command = "ls" }.context).eq{ "first saw nothing", "second saw nothing" }
  expect(t.tool_call{ tool = "bash", command = "ls" }.context).eq{ "first saw first", "second saw second" }
end)
