test("options, header fields and results are checked", function(t)
  t.http_stub("https://example.org/", {})
  for command, why in {
    option = "snaphook(\\.|::)http(\\.|::)get has no option `header`; did you mean `headers`\\?",
    timeout = "the option `timeout` of snaphook(\\.|::)http(\\.|::)get is a number of seconds above 0, not 0",
    long = "the `timeout` of snaphook.http is at most 300 seconds",
    fields = "the option `headers` of snaphook(\\.|::)http(\\.|::)get is texts by name",
    reserved = "the header field `Host` cannot be set",
    lines = "the value of the header field `a` is no single line of ASCII",
    number = "string|is no address",
    result = "the response of snaphook.http has no `code` \\(it has status, headers, body, url\\)",
    member = "fetch",
  } do
    local r = t.tool_call{ tool = "bash", command = command }
    expect(r).denied(why)
    expect(r.reasons[1].cause).eq("error")
  end
end)
