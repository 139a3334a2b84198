test("a whole result is an integer, whatever it was computed with", function(t)
  local r = t.tool_call{ tool = "mcp__a__b", input = { count = 5, ratio = 0.25 } }
  local text = snaphook.json.encode(r.input)
  expect(text).matches('"half":2\\.5[,}]')
  expect(text).matches('"next":6[,}]')
  expect(text).matches('"big":7[,}]')
  expect(text).matches('"ratio":0\\.25[,}]')
end)
