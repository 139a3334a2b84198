test("a variable of the script is kept as long as the hook lives", function(t)
  expect(t.tool_call{ tool = "bash", command = "a" }.context).eq{ { hook = "captured", text = "a" } }
  expect(t.tool_call{ tool = "bash", command = "b" }.context).eq{ { hook = "captured", text = "a,b" } }
end)
