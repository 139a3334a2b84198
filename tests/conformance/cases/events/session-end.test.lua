test("a handler sees the fields of session_end, and its context goes to the agent", function(t)
  local told
  told = t.emit("session_end", {})
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "session_end" }
  expect(told.failures).eq{}
  told = t.emit("session_end", { session_path = "/s/a.jsonl", reason = "logout" })
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "session_end", session_path = "/s/a.jsonl", reason = "logout" }
  expect(told.failures).eq{}
end)
