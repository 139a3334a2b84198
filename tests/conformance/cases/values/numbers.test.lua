test("whole numbers are written as integers, all others as floats", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r.context[1].text).matches("^\\[1,1,2\\.5,-7,0,0\\.1,1e\\+?300,9007199254740992,-9007199254740992,123456789012\\]$")
end)
