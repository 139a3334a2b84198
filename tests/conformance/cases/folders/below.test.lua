test("modules lie in folders below, and use each other", function(t)
  expect(t.tool_call{ tool = "bash", command = "ls" }.context[1].text).eq("BASH!")
end)
