-----
-- name: caught
-- grants:
--   net: [example.org]
-----
on("tool_call", function(event, ctx)
  local texts = {}
  for i = 1, 3 do
    local ok, res = pcall(snaphook.http.get, `https://example.org/{i}`)
    table.insert(texts, if ok then res.body else "failed")
  end
  return { context = table.concat(texts, ",") }
end)
