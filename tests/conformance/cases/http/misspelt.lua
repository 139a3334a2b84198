-----
-- name: misspelt
-- grants:
--   net: [example.org]
-----
local ADDRESS = "https://example.org/"

on("tool_call", { command = "option" }, function()
  snaphook.http.get(ADDRESS, { header = {} })
end)

on("tool_call", { command = "timeout" }, function()
  snaphook.http.get(ADDRESS, { timeout = 0 })
end)

on("tool_call", { command = "long" }, function()
  snaphook.http.get(ADDRESS, { timeout = 301 })
end)

on("tool_call", { command = "fields" }, function()
  snaphook.http.get(ADDRESS, { headers = { accept = {} } })
end)

on("tool_call", { command = "reserved" }, function()
  snaphook.http.get(ADDRESS, { headers = { Host = "evil.test" } })
end)

on("tool_call", { command = "lines" }, function()
  snaphook.http.post(ADDRESS, "", { headers = { a = "b\r\nhost: evil.test" } })
end)

on("tool_call", { command = "number" }, function()
  snaphook.http.get(1, { headers = {} })
end)

on("tool_call", { command = "result" }, function()
  return { context = snaphook.http.get(ADDRESS).code }
end)

on("tool_call", { command = "member" }, function()
  snaphook.http.fetch(ADDRESS)
end)
