test("within a hook handlers run as they were registered", function(t)
  expect(t.tool_call{ tool = "bash", command = "ls" }.context).eq{ "one", "two", "three", "four" }
end)
