test("a matcher is asked again about a rewritten input", function(t)
  local r = t.tool_call{ tool = "bash", command = "harmless" }
  expect(r).denied("^danger$")
  expect(r.input.command).eq("danger")
end)
