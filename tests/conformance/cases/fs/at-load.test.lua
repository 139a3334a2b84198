test("a script may read while it loads", function(t)
  t.fs{ ["rules.txt"] = "no rm" }
  t.load("at-load")
  expect(t.tool_call{ tool = "bash", command = "ls" }.context[1].text).eq("no rm")
end)
