test("secrets are neither read nor written", function(t)
  expect(t.tool_call{ tool = "read", path = ".env" }).denied("^\\.env holds secrets")
  expect(t.tool_call{ tool = "read", path = "src/../.env" }).denied("holds secrets")
  expect(t.tool_call{ tool = "write", path = "deploy/server.pem", content = "x" }).denied("holds secrets")
  expect(t.tool_call{ tool = "bash", command = "cat ~/.ssh/id_rsa" }).denied("holds secrets")
  expect(t.tool_call{ tool = "read", path = ".env.example" }).allowed()
end)

test("lock files, CI and the hooks are read, and not changed by hand", function(t)
  expect(t.tool_call{ tool = "edit", path = "Cargo.lock" }).denied("^Cargo\\.lock is not changed by hand here")
  expect(t.tool_call{ tool = "bash", command = "echo x >> .github/workflows/ci.yml" }).denied("not changed by hand")
  expect(t.tool_call{ tool = "bash", command = "grep name Cargo.lock" }).allowed()
  expect(t.tool_call{ tool = "read", path = ".snaphook/hooks/gate.lua" }).allowed()
end)

test("what may stand for a protected file is asked about", function(t)
  expect(t.tool_call{ tool = "bash", command = "cat .e*" }).asked("^\\.e\\* may stand for a protected file")
  expect(t.tool_call{ tool = "bash", command = "cat *.rs" }).allowed()
  expect(t.tool_call{ tool = "bash", command = 'cat "${PWD%/*}"' }).asked("may stand for a protected file")
end)

test("a tool of a server may call its paths anything", function(t)
  expect(t.tool_call{ tool = "mcp__files__read", input = { where = { file = "a/.env" } } }).denied("holds secrets")
  expect(t.tool_call{ tool = "mcp__files__read", input = { where = { file = "a/b.txt" } } }).allowed()
end)

test("an address is the file that it names", function(t)
  for _, uri in { "file:///a/.env?x", "FILE:///a/%2Eenv#x", " file:/a/.env", "fi\tle:///a/.e\nnv", "file:\\\\a\\.env", "/a/.env?x", "vscode://file/a/.env#x" } do
    expect(t.tool_call{ tool = "mcp__files__save", input = { uri = uri } }).denied("holds secrets")
  end
  expect(t.tool_call{ tool = "mcp__files__save", input = { uri = "file:///a/b.env.txt?x" } }).allowed()
end)

test("what cannot be read cannot be checked", function(t)
  expect(t.tool_call{ tool = "bash", command = "cat 'x" }).denied("cannot be read, so it cannot be checked")
end)
