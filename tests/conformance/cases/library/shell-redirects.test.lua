test("where input comes from and output goes", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(snaphook.json.decode(r.context[1].text)).eq{
    3,
    "a",
    true,
    true,
    false,
    true,
    2,
  }
end)
