test("a word as a shell text", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(snaphook.json.decode(r.context[1].text)).eq{
    "plain-word_1.txt",
    "'it'\\''s'",
    "''",
    "'$(rm x)'",
  }
end)
