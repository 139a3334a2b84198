test("an error denies, with the line on which it was raised", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied('^the hook "throw" failed: boom$')
  expect(r.reasons[1].cause).eq("error")
  expect(r.reasons[1].hook).eq("throw")
  expect(r.reasons[1].file).matches("throw\\.(lua|rhai)$")
  expect(r.reasons[1].line).eq(2)
end)
