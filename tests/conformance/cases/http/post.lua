-----
-- name: post
-- grants:
--   net: ["hooks.example.org:8443"]
-----
on("tool_call", function(event, ctx)
  local body = snaphook.json.encode({ command = event.command })
  local options = { headers = { Authorization = "Bearer x", ["X-Count"] = 1 }, timeout = 2.5 }
  local res = snaphook.http.post("https://hooks.example.org:8443/ask", body, options)
  if res.status ~= 200 then
    return { block = true, reason = `{res.status}: {res.body}` }
  end
end)
