test("text is sent at one of three moments, with the next turn by default", function(t)
  local sent = {}
  for _, one in t.emit("turn_end", { turn_index = 1 }).sent do
    expect(one.hook).eq("deliver")
    sent[one.text] = one.deliver
  end
  expect(sent).eq{ plain = "next_turn", ["at once"] = "now", ["with the turn"] = "next_turn", ["at the end"] = "follow_up" }
end)
