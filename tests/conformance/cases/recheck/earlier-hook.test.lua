test("also across hooks", function(t)
  t.load("earlier-hook")
  t.load("earlier-hook-2")
  local r = t.tool_call{ tool = "bash", command = "good" }
  expect(r).denied("^seen$")
  expect(r.reasons[1].hook).eq("earlier-hook")
end)
