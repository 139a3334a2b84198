test("fields of the event are texts of the language", function(t)
  local r = t.tool_call{ tool = "bash", command = "abc d  e" }
  expect(snaphook.json.decode(r.context[1].text)).eq{ 4, "abc", "ABC", true }
end)
