test("what the host gives cannot be changed", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r.decision).eq("deny")
  expect(r.reasons[1].cause).eq("error")
  expect(r.reasons[1].line).eq(2)
end)
