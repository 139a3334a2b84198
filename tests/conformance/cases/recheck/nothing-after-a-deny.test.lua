test("what is denied is rewritten no more", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("^no$")
  expect(r).input{ command = "ls" }
  expect(r.context).eq{ { hook = "nothing-after-a-deny", text = "still heard" } }
end)
