test("the host's clock, and times as text", function(t)
  t.clock(1790000000)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(snaphook.json.decode(r.context[1].text)).eq{
    1790000000,
    "2026-09-21T14:13:20Z",
    "1970-01-01T00:00:00Z",
    "1970-01-01T00:00:01.5Z",
    60,
    0,
  }
end)
