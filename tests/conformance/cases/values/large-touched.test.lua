test("a megabyte is read and rewritten", function(t)
  local text = string.rep("0123456789abcde\n", 65536) .. "end"
  local r = t.tool_result{ tool = "read", path = "big", content = text, details = { text = text } }
  expect(r.context[1].text).eq("1048579 end 1048579")
  expect(r.content == text .. "!").eq(true)
end)
