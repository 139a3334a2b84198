test("a hook keeps 1 MiB at most", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("is full: a hook keeps 1048576 bytes at most")
  r = t.tool_result{ tool = "bash", command = "ls", content = "x" }
  expect(snaphook.json.encode(r.failures)).matches("full")
end)
