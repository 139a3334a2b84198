test("a person is told, and nobody answers", function(t)
  t.ui{}
  local r = t.emit("turn_start", { turn_index = 1 })
  expect(r).notified("^plain$")
  expect(r.notified).eq{
    { hook = "notify", text = "plain", level = "info" }, { hook = "notify", text = "loud", level = "error" },
    { hook = "notify", status = "build", text = "running" }, { hook = "notify", status = "build" },
  }
end)

test("a level is one of four", function(t)
  local r = t.emit("turn_end", { turn_index = 1 })
  expect(snaphook.json.encode(r.failures)).matches("the level is debug, info, warn or error, not ")
end)
