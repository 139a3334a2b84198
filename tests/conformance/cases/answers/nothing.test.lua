test("no answer, and an empty one, say nothing", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).allowed()
  expect(r.reasons).eq{}
  expect(r.failures).eq{}
  expect(r.context).eq{}
end)
