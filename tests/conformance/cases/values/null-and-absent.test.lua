test("a null of the input stays a null, what is absent stays absent", function(t)
  local r = t.tool_call{ tool = "mcp__a__b", input = { none = snaphook.json.null, list = { 1, snaphook.json.null, 3 } } }
  expect(snaphook.json.decode(r.context[1].text)).eq{ kept = true, absent = true }
  local text = snaphook.json.encode(r.input)
  expect(text).matches('"none":null')
  expect(text).matches('"list":\\[1,null,3\\]')
  expect(text).matches('"added":true')
end)
