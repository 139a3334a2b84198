test("a rewrite that fails keeps the value, and is reported", function(t)
  local r = t.tool_result{ tool = "bash", command = "ls", content = "as it was", is_error = true }
  expect(r).content("^as it was$")
  expect(r.is_error).eq(true)
  expect(#r.failures).eq(1)
  expect(snaphook.json.encode(r.failures[1])).matches("boom")
end)
