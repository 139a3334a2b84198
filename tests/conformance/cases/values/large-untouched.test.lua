test("a megabyte that nobody touches comes through whole", function(t)
  local text = string.rep("0123456789abcde\n", 65536)
  local r = t.tool_result{ tool = "read", path = "big", content = text, details = { list = { 1, 2, 3 }, text = text } }
  expect(r.context[1].text).eq("read false")
  expect(r.content == text).eq(true)
  expect(r.details.text == text).eq(true)
end)
