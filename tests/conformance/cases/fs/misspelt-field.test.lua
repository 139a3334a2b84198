test("a misspelt field of what stat gives is an error", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("`type`")
  expect(r).denied("kind, size, modified")
  expect(r.reasons[1].cause).eq("error")
end)
