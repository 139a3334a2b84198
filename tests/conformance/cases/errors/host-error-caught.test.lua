test("an error of the API is caught as text", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied('"\\(" is not a regular expression: unclosed group')
  expect(r.reasons[1].cause).eq(nil)
end)
