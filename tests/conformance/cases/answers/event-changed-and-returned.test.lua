test("a part of the event is changed where it stands, and returned", function(t)
  local r = t.tool_call{ tool = "bash", input = { command = "ls", deep = { a = 1 } } }
  expect(r.input).eq{ command = "changed", list = { 1 }, deep = { a = 1 } }
end)
