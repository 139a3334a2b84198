test("a body and header fields are sent", function(t)
  t.http_stub("https://hooks.example.org:8443/ask", {})
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).allowed()
  expect(r.fetched).eq{ {
    method = "POST",
    url = "https://hooks.example.org:8443/ask",
    headers = { authorization = "Bearer x", ["x-count"] = "1" },
    body = '{"command":"ls"}',
  } }
end)

test("a status is no error", function(t)
  t.http_stub("https://hooks.example.org:8443/ask", { status = 404, body = "unknown" })
  expect(t.tool_call{ tool = "bash", command = "ls" }).denied("^404: unknown$")
end)

test("a server that cannot be reached is one", function(t)
  t.http_stub("https://hooks.example.org:8443", { error = "connection refused" })
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("failed to reach https://hooks.example.org:8443/ask: connection refused")
  expect(r.reasons[1].cause).eq("error")
end)
