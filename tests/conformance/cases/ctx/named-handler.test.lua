test("a handler may be a function with a name", function(t)
  expect(t.tool_call{ tool = "bash", command = "rm" }).denied("^named$")
  expect(t.tool_call{ tool = "bash", command = "ls" }).allowed()
end)
