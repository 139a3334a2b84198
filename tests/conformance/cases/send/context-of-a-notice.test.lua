test("context of a notice waits for the next turn", function(t)
  local r = t.emit("agent_end", {})
  expect(r.sent).eq{ { hook = "context-of-a-notice", text = "remember this", deliver = "next_turn" } }
  expect(r.context).eq{ { hook = "context-of-a-notice", text = "remember this" } }
end)
