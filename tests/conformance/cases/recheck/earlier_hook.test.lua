test("also across hooks", function(t)
  t.load("earlier_hook")
  t.load("earlier_hook_2")
  local r = t.tool_call{ tool = "bash", command = "good" }
  expect(r).denied("^seen$")
  expect(r.reasons[1].hook).eq("earlier_hook")
end)
