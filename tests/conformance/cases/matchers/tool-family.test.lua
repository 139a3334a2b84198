test("mcp is every tool of every server", function(t)
  expect(t.tool_call{ tool = "mcp__a__b", input = {} }).denied("a server's tool")
  expect(t.tool_call{ tool = "bash", command = "mcp" }).allowed()
end)
