test("the command line is rewritten in the agent's own field", function(t)
  local r = t.tool_call{ tool = "bash", input = { cmd = "make", cwd = "/x" } }
  expect(r).allowed()
  expect(r.input).eq{ cmd = "timeout 60 make", cwd = "/x" }
end)
