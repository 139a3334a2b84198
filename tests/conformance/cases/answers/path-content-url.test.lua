test("path and content together, and an address", function(t)
  local r = t.tool_call{ tool = "write", input = { file_path = "a.txt", content = "x" } }
  expect(r.input).eq{ file_path = "safe/a.txt", content = "x\n" }
  r = t.tool_call{ tool = "web_fetch", url = "http://example.com" }
  expect(r.input).eq{ url = "https://example.com" }
end)
