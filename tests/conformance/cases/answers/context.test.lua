test("text for the model, each once, in order", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).allowed()
  expect(r.context).eq{ { hook = "context", text = "the project uses tabs" }, { hook = "context", text = "and no semicolons" } }
end)
