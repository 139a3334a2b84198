test("a field that the call does not have cannot be rewritten", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied('a call of "bash" has no single `url` to rewrite; return the whole `input`')
  expect(r.reasons[1].cause).eq("malformed")
end)
