test("nor is it a part of one", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("`input\\.second\\.[01]` is an object of the host$")
  expect(r.reasons[1].cause).eq("malformed")
  expect(r).input{ command = "ls" }
end)
