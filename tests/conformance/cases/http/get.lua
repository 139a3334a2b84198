-----
-- name: get
-- grants:
--   net: [api.example.org]
-----
on("tool_call", function(event, ctx)
  local res = snaphook.http.get("https://API.example.org/v1/policy?tool=bash#top")
  local known = snaphook.json.decode(res.body)
  return { context = `{res.status}|{res.url}|{res.headers["content-type"]}|{res.headers.etag == nil}|{known.allow}` }
end)
