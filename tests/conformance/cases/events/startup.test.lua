test("a handler sees the fields of startup, and its context goes to the agent", function(t)
  local told
  told = t.emit("startup", {})
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "startup" }
  expect(told.failures).eq{}
end)
