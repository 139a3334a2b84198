test("what a command does that its words do not show", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(snaphook.json.decode(r.context[1].text)).eq{
    true,
    "code",
    "python",
    "f()",
    false,
    true,
    "file",
    "shell",
    "x",
    false,
    true,
    "config",
    "path",
    "g()\n",
  }
end)
