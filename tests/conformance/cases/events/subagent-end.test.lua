test("a handler sees the fields of subagent_end, and its context goes to the agent", function(t)
  local told
  told = t.emit("subagent_end", { subagent = "explorer", last_message = "found" })
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "subagent_end", subagent = "explorer", last_message = "found" }
  expect(told.failures).eq{}
end)
