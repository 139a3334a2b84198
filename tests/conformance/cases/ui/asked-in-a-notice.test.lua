test("other events may ask as well", function(t)
  t.ui{ confirm = { true, false } }
  expect(t.emit("agent_end", {}).continue_with).eq{ { hook = "asked-in-a-notice", text = "Do it once more." } }
  expect(t.emit("agent_end", {}).continue_with).eq{}
end)
