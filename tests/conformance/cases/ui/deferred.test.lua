test("a question is left to somebody outside", function(t)
  t.ui{ defer = true }
  local r = t.tool_call{ tool = "bash", command = "ask" }
  expect(r.decision).eq("ask")
  expect(r).asked("^Publish it\\?$")
  expect(r.reasons[1].cause).eq(nil)
end)

test("a confirmation becomes a question, and the handler ends there", function(t)
  t.ui{ defer = true }
  local r = t.tool_call{ tool = "bash", command = "confirm" }
  expect(r.decision).eq("ask")
  expect(r).asked("Delete it\\?: all of it")
  expect(#r.sent).eq(1)
  expect(r).sent("^before$")
end)

test("only a yes or a no can be given outside", function(t)
  t.ui{ defer = true }
  local r = t.tool_call{ tool = "bash", command = "select" }
  expect(r).allowed()
  expect(r.context[1].text).eq("true true")
end)
