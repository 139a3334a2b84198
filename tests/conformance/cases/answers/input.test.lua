test("the whole input is rewritten, what came is kept", function(t)
  local r = t.tool_call{ tool = "bash", input = { command = "ls", timeout = 5 } }
  expect(r).allowed()
  expect(r.input).eq{ command = "pwd", timeout = 5, extra = { 1, { two = 2 } } }
  expect(r.original_input).eq{ command = "ls", timeout = 5 }
end)
