test("a script may go on without the web", function(t)
  t.http_stub("https://example.org/", { body = "there" })
  t.http_stub("https://example.org/2", { error = "gone" })
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r.context[1].text).eq("there,failed,there")
  expect(#r.fetched).eq(3)
end)

test("stubs are checked", function(t)
  for why, stub in {
    ["needs an address"] = { "example.org", {} },
    ["needs an address, "] = { "file:///etc/passwd", {} },
    ["has no field `code`"] = { "https://example.org", { code = 1 } },
    ["`error` takes no other keys"] = { "https://example.org", { error = "x", status = 200 } },
    ["a number from 200 to 599"] = { "https://example.org", { status = 99 } },
    ["texts by name"] = { "https://example.org", { headers = { a = 1 } } },
  } do
    local ok, problem = pcall(t.http_stub, stub[1], stub[2])
    expect(ok).eq(false)
    expect(problem).matches(why)
  end
end)
