test("a yes that was not made an answer opens no gate", function(t)
  t.ui{ confirm = { true } }
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("tool_call handler returned the boolean true, not a (table|map) of answers")
  expect(r.reasons[1].cause).eq("malformed")
end)
