local function seen(outcome)
  return snaphook.json.decode(outcome.context[1].text)
end

test("text, and nothing beside it", function(t)
  local r = t.tool_result{ tool = "bash", command = "ls", content = "a\nb", id = "9" }
  expect(seen(r)).eq{
    name = "tool_result", id = "9", tool = "bash", native_tool = "bash", input = { command = "ls" }, original_input = { command = "ls" },
    command = "ls", shell = "bash", paths = snaphook.json.array{}, content = "a\nb", is_error = false,
  }
  expect(r.content).eq("a\nb")
end)

test("a failure with details", function(t)
  local r = t.tool_result{ tool = "read", path = "x", content = "no such file", details = { code = 2, list = { 1, 2 } }, is_error = true }
  expect(seen(r).details).eq{ code = 2, list = { 1, 2 } }
  expect(seen(r).is_error).eq(true)
  expect(seen(r).paths).eq{ "x" }
  expect(r.is_error).eq(true)
end)
