test("a word that only the shell will know equals no text", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(snaphook.json.decode(r.context[1].text)).eq{
    false,
    false,
    true,
    "a/$FILE",
    "a/",
    true,
    false,
    true,
    true,
    false,
  }
end)
