test("flags, however they are spelt", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(snaphook.json.decode(r.context[1].text)).eq{
    true,
    true,
    false,
    true,
  }
end)
