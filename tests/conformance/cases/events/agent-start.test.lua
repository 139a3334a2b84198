test("a handler sees the fields of agent_start, and its context goes to the agent", function(t)
  local told
  told = t.emit("agent_start", { prompt = "mend the tests" })
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "agent_start", prompt = "mend the tests" }
  expect(told.failures).eq{}
  told = t.emit("agent_start", {})
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "agent_start" }
  expect(told.failures).eq{}
end)
