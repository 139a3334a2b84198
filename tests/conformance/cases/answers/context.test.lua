test("text for the model, each once, in order", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).allowed()
  expect(r.context).eq{ "the project uses tabs", "and no semicolons" }
end)
