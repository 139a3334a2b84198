test("what is got is a copy, until it is set again", function(t)
  expect(t.tool_call{ tool = "bash", command = "ls" }.context).eq{ { hook = "copies", text = "1 2" } }
end)
