test("a handler sees the fields of session, and its context goes to the agent", function(t)
  local told
  told = t.emit("session", { reason = "start" })
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "session", reason = "start" }
  expect(told.failures).eq{}
  told = t.emit("session", { reason = "switch", session_path = "/s/b.jsonl", previous_session_path = "/s/a.jsonl" })
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "session", reason = "switch", session_path = "/s/b.jsonl", previous_session_path = "/s/a.jsonl" }
  expect(told.failures).eq{}
  told = t.emit("session", { reason = "clear" })
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "session", reason = "clear" }
  expect(told.failures).eq{}
end)
