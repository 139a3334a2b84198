test("a key of an answer without a value is no key", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).allowed()
  expect(r.context[1].text).eq("x")
  expect(r.reasons).eq{}
end)
