test("the first match with its groups", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(snaphook.json.decode(r.context[1].text)).eq{
    "a=",
    { "a", false },
    { key = "a" },
    true,
  }
end)
