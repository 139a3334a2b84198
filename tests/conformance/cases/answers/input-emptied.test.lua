test("an empty input is a map", function(t)
  local r = t.tool_call{ tool = "mcp__a__b", input = { x = 1 } }
  expect(r).allowed()
  expect(snaphook.json.encode(r.input)).eq("{}")
end)
