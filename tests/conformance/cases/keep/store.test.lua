test("the store keeps lists", function(t)
  expect(t.tool_call{ tool = "bash", command = "a" }.context).eq{ { hook = "store", text = "a in 1" } }
  expect(t.tool_call{ tool = "bash", command = "b" }.context).eq{ { hook = "store", text = "a,b in 1" } }
end)

test("each test has its own", function(t)
  expect(t.tool_call{ tool = "bash", command = "c" }.context).eq{ { hook = "store", text = "c in 1" } }
end)
