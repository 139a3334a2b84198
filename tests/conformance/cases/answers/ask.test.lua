test("a question, and one with a reason", function(t)
  t.ui{ confirm = { true, false } }
  local r = t.tool_call{ tool = "bash", command = "with" }
  expect(r).allowed()
  expect(r).asked("^Go on\\? \\(it writes\\)$")
  r = t.tool_call{ tool = "bash", command = "without" }
  expect(r).asked("^Go on\\?$")
  expect(r).denied("declined by the person: Go on\\?")
end)
