test("in a test nothing is reached that nobody stubbed", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied('the test has no stub for https://example.org/: say t.http_stub\\("https://example.org/", ')
  expect(r.reasons[1].cause).eq("error")
  expect(r.reasons[1].line).eq(7)
  expect(r.fetched[1].url).eq("https://example.org/")
end)
