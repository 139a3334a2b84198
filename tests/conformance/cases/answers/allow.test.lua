test("allow is no objection, with or without a reason", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).allowed()
  expect(r.reasons[1].verdict).eq("allow")
  r = t.tool_call{ tool = "bash", command = "pwd" }
  expect(r).allowed()
  expect(r.reasons[1].reason).eq("known to be harmless")
end)
