test("patterns as in .gitignore", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(snaphook.json.decode(r.context[1].text)).eq{
    false,
    true,
    false,
    false,
    true,
    true,
    true,
  }
end)
