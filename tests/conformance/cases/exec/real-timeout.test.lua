test("a process has a time", function(t)
  t.exec_stub("sleep", { real = true })
  expect(t.tool_call{ tool = "bash", command = "ls" }.context[1].text).eq("true true")
end)
