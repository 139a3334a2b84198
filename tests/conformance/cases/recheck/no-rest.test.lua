test("hooks that rewrite each other's input without end deny", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("^the hooks kept rewriting each other's input; gave up after 3 rounds$")
  expect(r.reasons[1].cause).eq("no_rest")
  expect(r.reasons[1].hook).eq(nil)
end)
