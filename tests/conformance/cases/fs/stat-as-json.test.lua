test("it can be written as JSON", function(t)
  t.fs{ a = "abc" }
  local stat = snaphook.json.decode(t.tool_call{ tool = "bash", command = "ls" }.context[1].text)
  expect({ stat.kind, stat.size, type(stat.modified) }).eq{ "file", 3, "number" }
end)
