test("an empty list is the empty answer, since Lua cannot tell", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).allowed()
  expect(r.reasons).eq{}
end)
