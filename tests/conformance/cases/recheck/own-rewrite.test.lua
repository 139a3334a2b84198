test("what a handler wrote itself counts as seen by it", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).allowed()
  expect(r).input{ command = "ls!" }
  expect(#r.sent).eq(1)
end)
