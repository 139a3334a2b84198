test("a process may be killed by a signal", function(t)
  t.exec_stub("sh", { real = true })
  expect(t.tool_call{ tool = "bash", command = "ls" }.context[1].text).eq("15 true false")
end)
