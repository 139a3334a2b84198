test("values become JSON text", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(snaphook.json.decode(r.context[1].text)).eq{
    '{"a":1,"b":[true,"x"]}',
    '"quote \\" and \\n"',
    "2.5",
    "false",
    "[]",
    "{}",
    "{\n  \"a\": 1\n}",
    '{"a":1}',
  }
end)
