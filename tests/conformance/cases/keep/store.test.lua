test("the store keeps lists", function(t)
  expect(t.tool_call{ tool = "bash", command = "a" }.context).eq{ "a in 1" }
  expect(t.tool_call{ tool = "bash", command = "b" }.context).eq{ "a,b in 1" }
end)

test("each test has its own", function(t)
  expect(t.tool_call{ tool = "bash", command = "c" }.context).eq{ "c in 1" }
end)
