test("the commands of a line", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(snaphook.json.decode(r.context[1].text)).eq{
    4,
    "git",
    "/usr/bin/git",
    { "commit", "-m", "two words" },
    "x=rm",
    true,
    { A = "1", B = "two" },
    2,
    3,
    0,
  }
end)
