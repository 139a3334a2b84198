test("a handler sees the fields of model_response, and its context goes to the agent", function(t)
  local told
  told = t.emit("model_response", { model = "large", content = { { type = "text", text = "Hello" } }, usage = { input = 12, output = 3 } })
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "model_response", model = "large", content = { { type = "text", text = "Hello" } }, usage = { input = 12, output = 3 } }
  expect(told.failures).eq{}
  told = t.emit("model_response", { content = "Hello" })
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "model_response", content = "Hello" }
  expect(told.failures).eq{}
  told = t.emit("model_response", {})
  expect(#told.sent).eq(1)
  expect(snaphook.json.decode(told.sent[1].text)).eq{ name = "model_response" }
  expect(told.failures).eq{}
end)
