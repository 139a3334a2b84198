test("a hook sees no other hook's variables", function(t)
  t.load("isolation")
  t.load("isolation-2")
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r.context[1].text).eq("first was here")
  expect(r.context[2].text).eq("second sees nil")
end)
