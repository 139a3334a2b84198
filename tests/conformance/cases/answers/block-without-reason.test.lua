test("a block without a reason names the hook", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied('^blocked by the hook "block-without-reason", which gave no reason$')
  expect(r.reasons[1].cause).eq(nil)
end)
