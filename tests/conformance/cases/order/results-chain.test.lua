test("results are rewritten in order, a failing handler is passed over", function(t)
  local r = t.tool_result{ tool = "bash", command = "ls", content = "0" }
  expect(r).content("^012$")
  expect(r.context).eq{ { hook = "results-chain", text = "a" }, { hook = "results-chain", text = "b" } }
  expect(#r.failures).eq(1)
end)
