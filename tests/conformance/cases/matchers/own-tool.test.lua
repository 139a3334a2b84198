test("a name that is not canonical matches a tool of that very name", function(t)
  expect(t.tool_call{ tool = "frobnicate", input = {} }).denied("known by name")
  expect(t.tool_call{ tool = "bash", command = "frobnicate" }).allowed()
end)
