test("a handler sees the fields of turn_start, and its context goes to the agent", function(t)
  local told
  told = t.emit("turn_start", { turn_index = 0 })
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "turn_start", turn_index = 0 }
  expect(told.failures).eq{}
  told = t.emit("turn_start", { turn_index = 41 })
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "turn_start", turn_index = 41 }
  expect(told.failures).eq{}
end)
