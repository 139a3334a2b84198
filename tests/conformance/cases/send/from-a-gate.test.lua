test("a gate that denies may send all the same", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("^no$")
  expect(r).sent("^seen: ls$")
end)
