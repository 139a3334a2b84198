test("messages are read and replaced", function(t)
  local r = t.emit("context", { messages = { { role = "user", text = "hi" }, { role = "user", text = "there" } } })
  expect(r).input{ messages = { { role = "system", text = "be brief" }, { role = "user", text = "there" } } }
  expect(r.context).eq{ { hook = "context", text = "2 messages" } }
end)
