test("rewrites that come to rest are fine", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).allowed()
  expect(r).input{ command = "ls -la" }
end)
