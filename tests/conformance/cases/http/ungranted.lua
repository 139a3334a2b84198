on("tool_call", function(event, ctx)
  local res = snaphook.http.get("https://example.org/secret?token=1")
  return { context = res.body }
end)
