test("maps of many keys", function(t)
  local input = {}
  for i = 1, 500 do
    input["key" .. i] = i
  end
  local r = t.tool_call{ tool = "mcp__a__b", input = input }
  expect(r.context[1].text).eq("500 125250")
  expect(r.input.new100).eq(100)
  expect(r.input.key500).eq(500)
end)
