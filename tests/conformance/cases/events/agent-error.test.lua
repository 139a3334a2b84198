test("a handler sees the fields of agent_error, and its context goes to the agent", function(t)
  local told
  told = t.emit("agent_error", { error = "the model is overloaded" })
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "agent_error", error = "the model is overloaded" }
  expect(told.failures).eq{}
end)
