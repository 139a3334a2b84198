test("the next handler begins when the one before it is done, though that one waits", function(t)
  t.exec_stub("first", {})
  t.exec_stub("second", {})
  local r = t.tool_call{ tool = "bash", command = "ls" }
  -- Each sees what the other wrote, so they never come to rest; that is what is looked at here: three rounds in order.
  expect(r.ran[1]).eq("first")
  expect(r.ran[2]).eq("second")
  expect(r.context[1].text).eq("ls 1")
  expect(r.reasons[1].cause).eq("no_rest")
end)
