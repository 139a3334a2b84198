test("the event itself is no answer", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r.decision).eq("deny")
  expect(r.reasons[1].cause).eq("malformed")
end)
