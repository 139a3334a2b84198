test("a field that the event may have and has not is nothing", function(t)
  expect(t.tool_call{ tool = "bash", command = "ls" }.context).eq{ { hook = "absent-field", text = "true true true" } }
end)
