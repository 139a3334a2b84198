test("keys are deleted, also by setting nothing", function(t)
  expect(t.tool_call{ tool = "bash", command = "ls" }.context).eq{ { hook = "delete", text = "c nil none" } }
end)
