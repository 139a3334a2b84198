test("each distinct question is put once", function(t)
  t.ui{ confirm = { true, true } }
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).allowed()
  expect(#r.asked).eq(2)
  expect(r).asked("^Really\\?$")
  expect(r).asked("^Truly\\?$")
end)

test("the first no ends it", function(t)
  t.ui{ confirm = { false, true } }
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("declined by the person: Really\\?")
  expect(#r.asked).eq(1)
end)
