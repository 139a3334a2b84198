test("the log takes lines and says nothing", function(t)
  local r = t.tool_call{ tool = "bash", command = "fine" }
  expect(r).allowed()
  expect(r.sent).eq{}
  expect(r.notified).eq{}
  r = t.tool_call{ tool = "bash", command = "level" }
  expect(r).denied("the level is debug, info, warn or error, not ")
  expect(r.reasons[1].line).eq(9)
end)
