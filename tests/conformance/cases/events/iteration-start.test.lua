test("a handler sees the fields of iteration_start, and its context goes to the agent", function(t)
  local told
  told = t.emit("iteration_start", { iteration = 1 })
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "iteration_start", iteration = 1 }
  expect(told.failures).eq{}
end)
