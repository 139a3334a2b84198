test("an address is what it means, however it is written", function(t)
  t.http_stub("https://example.org/", {})
  t.http_stub("http://evil.test/", { body = "reached" })
  t.http_stub("http://127.0.0.1/", { body = "reached" })
  for address, why in {
    ["http://example.org@evil.test/"] = "before the host is not taken",
    ["http://evil.test\\@example.org/"] = "is no address",
    ["http://example.org.evil.test/"] = "`net: \\[example.org.evil.test\\]`",
    ["http://2130706433/"] = '`net: \\["127.0.0.1"\\]`',
    ["http://0x7f.1/"] = '`net: \\["127.0.0.1"\\]`',
    ["http://[::ffff:127.0.0.1]/"] = "is not granted",
    ["http://ex\u{430}mple.org/"] = "`net: \\[xn--",
    ["https://example.org:8443/"] = '`net: \\["example.org:8443"\\]`',
    ["file:///etc/passwd"] = "only https and http are spoken",
    ["https://example.org/\nx"] = "is no address",
  } do
    local r = t.tool_call{ tool = "bash", command = address }
    expect(r).denied(why)
    expect(r.fetched).eq{}
  end
  expect(t.tool_call{ tool = "bash", command = "HTTPS://EXAMPLE.org.:443" }.context[1].text).eq("https://example.org/")
end)
