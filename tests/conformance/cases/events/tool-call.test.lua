local function seen(outcome)
  return snaphook.json.decode(outcome.context[1].text)
end

test("a shell command", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls -l", id = "call-7" }
  expect(r).allowed()
  expect(seen(r)).eq{
    name = "tool_call", id = "call-7", tool = "bash", native_tool = "bash", input = { command = "ls -l" }, command = "ls -l",
    shell = "bash", paths = snaphook.json.array{},
  }
end)

test("a file to be written", function(t)
  local r = t.tool_call{ tool = "write", input = { file_path = "a/b.txt", content = "text" }, id = "1", subagent = "helper" }
  expect(seen(r)).eq{
    name = "tool_call", id = "1", tool = "write", native_tool = "write", input = { file_path = "a/b.txt", content = "text" },
    paths = { "a/b.txt" }, content = "text", subagent = "helper",
  }
end)

test("an address, and a tool of a server", function(t)
  local r = t.tool_call{ tool = "web_fetch", url = "https://example.com/a", id = "2" }
  expect(seen(r).url).eq("https://example.com/a")
  r = t.tool_call{ tool = "mcp__files__move", input = { source = "a", destination = "b", paths = { "c" } }, id = "3" }
  expect(seen(r).paths).eq{ "a", "b", "c" }
  expect(seen(r).tool).eq("mcp__files__move")
end)
