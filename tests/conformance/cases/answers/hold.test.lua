test("what several hooks hold combines to the strictest", function(t)
  local r = t.tool_call{ tool = "bash", command = "make" }
  expect(r).allowed()
  expect(r.hold).eq{
    profile = "guarded",
    deny_write = { "~/.ssh", "a", "secrets" },
    net = { "crates.io" },
    env = {},
  }
  expect(r.input.command).eq("make")
  expect(r.rewritten).eq(false)
end)

test("one that says nothing holds nothing", function(t)
  expect(t.tool_call{ tool = "bash", command = "ls" }.hold).eq{ deny_write = { "a" }, net = { "crates.io" } }
end)

test("a question can hold, too", function(t)
  t.ui{ confirm = { true } }
  local r = t.tool_call{ tool = "bash", command = "npm test" }
  expect(r).allowed()
  expect(r.hold.net).eq("none")
end)

test("what has no command line cannot be held", function(t)
  local r = t.tool_call{ tool = "read", path = "a" }
  expect(r).denied("`hold` is for calls of the tool `bash`")
  expect(r.reasons[1].cause).eq("malformed")
end)
