test("output is bounded", function(t)
  t.exec_stub("head", { real = true })
  expect(t.tool_call{ tool = "bash", command = "ls" }.context[1].text).matches("^true true ")
end)
