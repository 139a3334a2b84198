test("where and for whom it runs", function(t)
  local folder = t.fs{ ["a.txt"] = "x" }
  t.ui{}
  local r = t.tool_call{ tool = "bash", command = "ls", agent = "claude" }
  expect(snaphook.json.decode(r.context[1].text)).eq{
    cwd = folder, root = folder, id = "test", path = true, agent = "claude", scope = "adhoc", hook = "session", cancelled = false,
    has_ui = true,
  }
end)
