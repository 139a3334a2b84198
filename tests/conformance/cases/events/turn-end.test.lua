test("a handler sees the fields of turn_end, and its context goes to the agent", function(t)
  local told
  told = t.emit("turn_end", { turn_index = 3 })
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "turn_end", turn_index = 3 }
  expect(told.failures).eq{}
end)
