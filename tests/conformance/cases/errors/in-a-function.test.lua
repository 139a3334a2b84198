test("the line is that of the function that failed", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("failed: deep: ls$")
  expect(r.reasons[1].cause).eq("error")
  expect(r.reasons[1].line).eq(2)
end)
