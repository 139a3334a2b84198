test("an empty list is told from an empty map", function(t)
  local input = snaphook.json.decode('{"list":[],"map":{},"lists":[[],[[]]],"maps":[{},{"a":{}}]}')
  local text = snaphook.json.encode(t.tool_call{ tool = "mcp__a__b", input = input }.input)
  for _, part in { '"list":[]', '"map":{}', '"lists":[[],[[]]]', '"maps":[{},{"a":{}}]', '"new_list":[]', '"new_map":{}' } do
    expect(text).matches(snaphook.regex.escape(part))
  end
end)
