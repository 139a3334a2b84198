test("messages are rewritten one handler after the other", function(t)
  expect(t.emit("context", { messages = { "zero" } }).input).eq{ messages = { "zero", "one", "two" } }
end)
