test("the session's end takes the state, not the store", function(t)
  t.emit("session_start", {})
  expect(t.tool_call{ tool = "bash", command = "ls" }.context).eq{ { hook = "store-and-state", text = "state store" } }
  t.emit("session", { reason = "clear" })
  expect(t.tool_call{ tool = "bash", command = "ls" }.context).eq{ { hook = "store-and-state", text = "nil store" } }
end)
