test("text of every kind survives the trip", function(t)
  local r = t.tool_call{ tool = "bash", command = "echo ünïcödé 👨‍👩‍👧 \0 \r\n \u{feff}" }
  expect(r.input.command).eq("echo ünïcödé 👨‍👩‍👧 \0 \r\n \u{feff} 日本 ñ")
  expect(r.context[1].text).eq("schön 🎉")
end)
