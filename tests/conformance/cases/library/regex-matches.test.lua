test("whether a pattern matches anywhere", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(snaphook.json.decode(r.context[1].text)).eq{
    true,
    false,
    true,
    true,
  }
end)
