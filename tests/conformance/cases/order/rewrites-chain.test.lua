test("each handler sees the input as rewritten so far", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).allowed()
  expect(r.input).eq{ command = "ls -a -b" }
  expect(r.original_input).eq{ command = "ls" }
end)
