test("terminate goes with a block", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("^enough$")
  expect(r.terminate).eq(true)
  expect(r.context).eq{ { hook = "terminate", text = "stop here" } }
end)
