local function result(t, content, details)
  return t.tool_result{ tool = "bash", command = "cat config", content = content, details = details }
end

test("a secret goes, its name stays, and the agent is told", function(t)
  local r = result(t, "API_TOKEN=abcdef0123456789\nPORT=8080\n")
  expect(r).content("^API_TOKEN=\\[redacted: value\\]\nPORT=8080\n$")
  expect(r.context[1].text).matches("^redact-secrets: 1 secret value\\(s\\) in this result")
end)

test("tokens are known by their form", function(t)
  expect(result(t, "ghp_" .. string.rep("a1", 20))).content("^\\[redacted: GitHub token\\]$")
  expect(result(t, "postgres://ada:s3cret@db/x")).content("^postgres://ada:\\[redacted: password\\]@db/x$")
  expect(result(t, "-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----")).content("^\\[redacted: private key\\]$")
end)

test("values are known by the names beside them", function(t)
  for _, text in { "DB_PASS  =  ?", "pwd: ?", '{\\"clientSecret\\": \\"?\\"}', "<password>?</password>", "X-Api-Key: ?" } do
    local r = result(t, (string.gsub(text, "%?", "hunter2hunter2")))
    expect(r.content).eq((string.gsub(text, "%?", "[redacted: value]")))
  end
end)

test("details are looked through as well", function(t)
  local r = result(t, "ok", { list = { { line = "password = 'correct horse battery'" } }, count = 3 })
  expect(r).content("^ok$")
  expect(r.details).eq{ list = { { line = "password = '[redacted: value]'" } }, count = 3 }
end)

test("a text beside such a name is one in details, too", function(t)
  local r = result(t, "ok", { password = "correct horse", token_type = "Bearer token" })
  expect(r.details).eq{ password = "[redacted: value]", token_type = "Bearer token" }
end)

test("what is no secret stays as it is", function(t)
  local text = "the token is passed as $API_TOKEN; see https://example.com/login\ntoken_count: 1234567, token = base64.encode(x)\n"
  local r = result(t, text, { n = 1 })
  expect(r.content).eq(text)
  expect(r.context).eq{}
  expect(r.rewritten).eq(false)
end)

local function message(t, texts)
  return t.emit("mcp.server_message", { server = "s", method = "resources/read", kind = "result", texts = texts, binary = {} })
end

test("what an MCP server says is looked through as well", function(t)
  local r = message(t, { "file:///.env", "API_TOKEN=abcdef0123456789" })
  expect(r.input.texts).eq{ "file:///.env", "API_TOKEN=[redacted: value]" }
  expect(message(t, { "file:///README.md", "hello" }).rewritten).eq(false)
end)

test("what is too long to be looked through is withheld", function(t)
  local r = message(t, { string.rep("x", 5000000), string.rep("y", 5000000) })
  expect(r.withheld).matches("which has to check it, raised an error")
  expect(r.input.texts).eq{}
end)
