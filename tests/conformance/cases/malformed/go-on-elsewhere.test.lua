test("only the end of an agent can send it on", function(t)
  local r = t.emit("turn_end", { turn_index = 1 })
  expect(r.continue_with).eq{}
  expect(snaphook.json.encode(r.failures)).matches("turn_end answer has an unknown key `continue_with`.* \\(legal: context\\)")
end)
