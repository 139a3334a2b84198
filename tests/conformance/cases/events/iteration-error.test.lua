test("a handler sees the fields of iteration_error, and its context goes to the agent", function(t)
  local told
  told = t.emit("iteration_error", { iteration = 2, error = "it broke" })
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "iteration_error", iteration = 2, error = "it broke" }
  expect(told.failures).eq{}
end)
