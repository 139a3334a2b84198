test("a rewrite may stand beside a question", function(t)
  t.ui{ confirm = { true } }
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).allowed()
  expect(r).asked("With more words")
  expect(r).input{ command = "ls -l" }
end)
