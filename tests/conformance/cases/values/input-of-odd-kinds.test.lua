test("values have the types of the language", function(t)
  local r = t.tool_call{ tool = "mcp__a__b", input = { text = "x", list = { 1 }, number = 1.5, flag = true } }
  expect(r.context[1].text).eq("string table number boolean")
end)
