test("a handler sees the fields of iteration_end, and its context goes to the agent", function(t)
  local told
  told = t.emit("iteration_end", { iteration = 2, last_message = "half" })
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "iteration_end", iteration = 2, last_message = "half" }
  expect(told.failures).eq{}
  told = t.emit("iteration_end", { iteration = 3 })
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "iteration_end", iteration = 3 }
  expect(told.failures).eq{}
end)
