test("of a notice it is swallowed and reported, and the others are heard", function(t)
  local r = t.emit("turn_end", { turn_index = 1 })
  expect(r).sent("^heard$")
  expect(#r.failures).eq(1)
  expect(snaphook.json.encode(r.failures)).matches("turn_end answer has an unknown key `block`")
  r = t.emit("shutdown", {})
  expect(r.sent).eq{}
  expect(snaphook.json.encode(r.failures)).matches("shutdown takes no answer, but the handler returned `context`")
end)
