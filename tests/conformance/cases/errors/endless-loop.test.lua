test("a handler that computes too long is stopped, and the next call is fine", function(t)
  local r = t.tool_call{ tool = "bash", command = "loop" }
  expect(r).denied("CPU budget of 1s")
  expect(r.reasons[1].cause).eq("budget")
  expect(t.tool_call{ tool = "bash", command = "ls" }).allowed()
end)
