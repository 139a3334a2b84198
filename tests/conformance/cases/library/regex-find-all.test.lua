test("all matches, or as many as wanted", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(snaphook.json.decode(r.context[1].text)).eq{
    3,
    2,
    { "b", "2" },
    0,
  }
end)
