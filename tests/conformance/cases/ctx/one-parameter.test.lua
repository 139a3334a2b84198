test("a handler takes the event, and the context if it wants to", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r.context[1].text).eq("bash")
  expect(r.context[2].text).eq("one-parameter")
end)
