test("what is returned as it came stays as it came", function(t)
  local details = { int = 3, float = 2.5, list = snaphook.json.array{}, map = { none = snaphook.json.null } }
  local r = t.tool_result{ tool = "bash", command = "ls", content = "abc", details = details }
  expect(r).content("^abc$")
  expect(r.details).eq(details)
  expect(r.is_error).eq(false)
  expect(r.failures).eq{}
end)
