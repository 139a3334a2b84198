test("a stub is no grant", function(t)
  t.http_stub("https://example.org/", { body = "reached" })
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("https://example\\.org/secret is not granted; the hook's front matter needs `net: \\[example\\.org\\]`")
  expect(r.reasons[1].cause).eq("error")
  expect(r.reasons[1].line).eq(2)
  expect(r.fetched).eq{}
end)
