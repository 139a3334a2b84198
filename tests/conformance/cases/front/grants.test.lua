test("what a hook says of itself is read", function(t)
  t.exec_stub("git", { stdout = "git version 3" })
  expect(t.tool_call{ tool = "bash", command = "ls" }.context[1].text).eq("git version 3")
end)
