test("what a process says", function(t)
  t.exec_stub("git status", { stdout = " M a.txt\n", stderr = "note", code = 3 })
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r.context[1].text).eq("3| M a.txt\n|note|false|false|true")
  expect(r.ran).eq{ "git status --short" }
end)

test("the longest command line that fits answers", function(t)
  t.exec_stub("git", { stdout = "any" })
  t.exec_stub("git status --short", { stdout = "this" })
  expect(t.tool_call{ tool = "bash", command = "ls" }.context[1].text).eq("0|this||false|false|true")
end)
