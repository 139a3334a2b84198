test("an event of one's own is heard before the handler goes on", function(t)
  local r = t.tool_result{ tool = "bash", command = "make", content = "ok" }
  local texts = {}
  for _, one in r.sent do
    table.insert(texts, one.text)
  end
  expect(texts).eq{ "3 passed, 2 names", "tests.cleaned" }
  expect(r.context[1].text).eq("after")
end)
