test("endless recursion denies, and the next call is fine", function(t)
  local r = t.tool_call{ tool = "bash", command = "loop" }
  expect(r).denied("stack overflow|calls are nested too deeply")
  expect(r.reasons[1].cause).eq("error")
  expect(t.tool_call{ tool = "bash", command = "ls" }).allowed()
end)
