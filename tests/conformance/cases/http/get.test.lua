local json = { headers = { ["Content-Type"] = "application/json" }, body = '{"allow": true}' }

test("an answer has a status, header fields, a body and an address", function(t)
  t.http_stub("https://api.example.org/v1/policy", json)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r.context[1].text).eq("200|https://api.example.org/v1/policy?tool=bash|application/json|true|true")
  expect(r.fetched).eq{ { method = "GET", url = "https://api.example.org/v1/policy?tool=bash", headers = {} } }
end)

test("the longest address that fits answers, up to where a part of it ends", function(t)
  t.http_stub("https://api.example.org", { error = "not this" })
  t.http_stub("https://api.example.org/v1/pol", { error = "nor this" })
  t.http_stub("https://api.example.org/v1/", json)
  expect(t.tool_call{ tool = "bash", command = "ls" }).allowed()
  t.http_stub("https://api.example.org/v1/policy?tool=bash", { status = 503, body = '{"allow": false}', headers = {} })
  expect(t.tool_call{ tool = "bash", command = "ls" }.context[1].text).matches("^503.*\\|false$")
end)
