test("matches are replaced", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(snaphook.json.decode(r.context[1].text)).eq{
    "1a 2b",
    "axy$b",
    "abc",
    "a\\.b\\*\\(c\\)",
  }
end)
