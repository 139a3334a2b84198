test("people see the name, and lines count from the top of the file", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied('^blocked by the hook "Guardian of the build", which gave no reason$')
  expect(r.reasons[1].hook).eq("name")
  expect(r.reasons[1].line).eq(5)
end)
