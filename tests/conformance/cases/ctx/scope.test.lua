test("a hook knows its scope", function(t)
  t.load("scope", { scope = "managed" })
  expect(t.tool_call{ tool = "bash", command = "ls" }.context[1].text).eq("managed")
end)
