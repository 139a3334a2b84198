test("yes", function(t)
  t.ui{ confirm = { true } }
  local r = t.tool_call{ tool = "bash", command = "npm publish" }
  expect(r).allowed()
  expect(r).asked("^Publish it\\?$")
  expect(r.asked[1].message).matches('^Asked by the hook "ask" ')
  expect(r.asked[1].message).matches("bash: npm publish")
  expect(r.reasons[2].reason).eq("approved by the person: Publish it?")
  expect(r.reasons[2].verdict).eq("allow")
end)

test("no", function(t)
  t.ui{ confirm = { false } }
  local r = t.tool_call{ tool = "bash", command = "npm publish" }
  expect(r).denied("^declined by the person: Publish it\\?$")
  expect(r.reasons[2].cause).eq(nil)
end)

test("nobody is there: a no that says what to do", function(t)
  local r = t.tool_call{ tool = "bash", command = "npm publish" }
  expect(r).denied('nobody can be asked \\(headless\\): Publish it\\? Run it with a terminal, or adjust the hook "ask"')
  expect(r.reasons[2].cause).eq("headless")
end)
