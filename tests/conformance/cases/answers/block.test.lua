test("a block denies, with its hook, place and reason, and no cause", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("^not on Fridays$")
  expect(#r.reasons).eq(1)
  local reason = r.reasons[1]
  expect(reason.hook).eq("block")
  expect(reason.file).matches("block\\.(lua|rhai)$")
  expect(reason.line).eq(2)
  expect(reason.verdict).eq("deny")
  expect(reason.cause).eq(nil)
  expect(r.terminate).eq(false)
end)
