test("a handler sees the fields of session_start, and its context goes to the agent", function(t)
  local told
  told = t.emit("session_start", {})
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "session_start" }
  expect(told.failures).eq{}
  told = t.emit("session_start", { session_path = "/s/a.jsonl" })
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "session_start", session_path = "/s/a.jsonl" }
  expect(told.failures).eq{}
end)
