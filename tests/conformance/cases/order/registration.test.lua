test("within a hook handlers run as they were registered", function(t)
  expect(t.tool_call{ tool = "bash", command = "ls" }.context).eq{ { hook = "registration", text = "one" }, { hook = "registration", text = "two" }, { hook = "registration", text = "three" }, { hook = "registration", text = "four" } }
end)
