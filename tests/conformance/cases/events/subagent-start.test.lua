test("a handler sees the fields of subagent_start, and its context goes to the agent", function(t)
  local told
  told = t.emit("subagent_start", { subagent = "explorer", prompt = "find it" })
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "subagent_start", subagent = "explorer", prompt = "find it" }
  expect(told.failures).eq{}
  told = t.emit("subagent_start", { subagent = "a1" })
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "subagent_start", subagent = "a1" }
  expect(told.failures).eq{}
end)
