test("a call that nobody cancelled says so, before and after waiting", function(t)
  t.exec_stub("true", {})
  expect(t.tool_call{ tool = "bash", command = "ls" }.context[1].text).eq("false false")
end)
