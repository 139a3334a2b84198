test("block = false says nothing, also beside a reason", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).allowed()
  expect(r.reasons).eq{}
  expect(t.tool_call{ tool = "bash", command = "rm" }).denied("^rm is not for you$")
end)
