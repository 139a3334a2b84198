test("a hook for a newer API does not load", function(t)
  expect((pcall(t.load, "newer-api"))).eq(false)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("hook needs api 99, this snaphook offers [0-9]+")
  expect(r.reasons[1].cause).eq("load")
end)
