test("a handler may wait many times", function(t)
  for i = 1, 5 do
    t.exec_stub("count " .. i, { stdout = tostring(i * 10) })
  end
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r.context[1].text).eq("total 150")
  expect(#r.ran).eq(5)
end)
