test("lifecycle events come from the agent, and a payload has names", function(t)
  local r = t.tool_call{ tool = "bash", command = "lifecycle" }
  expect(r).denied("turn_end comes from the agent; only names with a dot can be emitted")
  expect(r.reasons[1].cause).eq("error")
  expect(r.reasons[1].line).eq(2)
  expect(t.tool_call{ tool = "bash", command = "payload" }).denied("the payload of ctx\\.emit is a")
end)
