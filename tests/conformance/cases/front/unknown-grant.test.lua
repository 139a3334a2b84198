test("a grant that is not known is an error", function(t)
  expect((pcall(t.load, "unknown-grant"))).eq(false)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("unknown grant `shell`")
  expect(r.reasons[1].line).eq(4)
end)
