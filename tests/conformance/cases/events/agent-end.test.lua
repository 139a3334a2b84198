test("a handler sees the fields of agent_end, and its context goes to the agent", function(t)
  local told
  told = t.emit("agent_end", { last_message = "All is done." })
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "agent_end", last_message = "All is done." }
  expect(told.failures).eq{}
  told = t.emit("agent_end", {})
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "agent_end" }
  expect(told.failures).eq{}
end)
