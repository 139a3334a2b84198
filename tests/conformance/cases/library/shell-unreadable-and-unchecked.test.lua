test("a gate that forgot to look whether the line was understood stays closed", function(t)
  local r = t.tool_call{ tool = "bash", command = "rm 'x" }
  expect(r).denied()
  expect(r.reasons[1].cause).eq("error")
  expect(r.reasons[1].line).eq(2)
  expect(t.tool_call{ tool = "bash", command = "rm x" }).denied("^no rm$")
  expect(t.tool_call{ tool = "bash", command = "echo rm" }).allowed()
end)
