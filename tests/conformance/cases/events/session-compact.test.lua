test("a handler sees the fields of session_compact, and its context goes to the agent", function(t)
  local told
  told = t.emit("session_compact", { trigger = "manual", summary = "What was said" })
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "session_compact", trigger = "manual", summary = "What was said" }
  expect(told.failures).eq{}
  told = t.emit("session_compact", { trigger = "auto" })
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "session_compact", trigger = "auto" }
  expect(told.failures).eq{}
end)
