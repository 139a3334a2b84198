test("only calls of that tool reach the handler", function(t)
  expect(t.tool_call{ tool = "bash", command = "ls" }).denied("^a shell$")
  expect(t.tool_call{ tool = "read", path = "a" }).allowed()
end)
