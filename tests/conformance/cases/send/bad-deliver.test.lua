test("a moment that is none is an error", function(t)
  local r = t.tool_call{ tool = "bash", command = "value" }
  expect(r).denied('`deliver` is "now", "next_turn" or "follow_up", not "later"')
  expect(r.reasons[1].line).eq(2)
  r = t.tool_call{ tool = "bash", command = "key" }
  expect(r).denied("ctx\\.send has no option `delivr`; did you mean `deliver`\\?")
  expect(r.sent).eq{}
end)
