test("the hook does not load, and its gate is closed", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied('`tool = "Bash"` is an agent.s own name; the canonical name is "bash"')
  expect(r.reasons[1].cause).eq("load")
  expect(r.reasons[1].file).matches("bad_tool\\.(lua|rhai)$")
  expect(r.reasons[1].line).eq(2)
end)
