test("values of every kind come back as they were", function(t)
  t.emit("agent_start", {})
  local text = t.tool_call{ tool = "bash", command = "ls" }.context[1].text
  expect(text).matches('"empty list":\\[\\]')
  expect(text).matches('"empty map":\\{\\}')
  expect(text).matches('"int":7[,}]')
  expect(text).matches('"float":2\\.5')
  local kept = snaphook.json.decode(text)
  expect(kept.text).eq("äß🎉")
  expect(kept.flag).eq(false)
  expect(kept.list).eq{ 1, "two", { 3 } }
  expect(kept.map).eq{ a = { b = true } }
end)
