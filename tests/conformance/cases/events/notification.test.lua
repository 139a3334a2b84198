test("a handler sees the fields of notification, and its context goes to the agent", function(t)
  local told
  told = t.emit("notification", { message = "I need a yes", kind = "permission", title = "Waiting" })
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "notification", message = "I need a yes", kind = "permission", title = "Waiting" }
  expect(told.failures).eq{}
  told = t.emit("notification", { message = "x" })
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "notification", message = "x" }
  expect(told.failures).eq{}
end)
