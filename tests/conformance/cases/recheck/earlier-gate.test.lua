test("a gate looks again at what a later handler wrote", function(t)
  local r = t.tool_call{ tool = "bash", command = "clean" }
  expect(r).denied("^a recursive delete$")
  expect(r.input).eq{ command = "rm -rf build" }
  expect(r.original_input).eq{ command = "clean" }
  expect(r.reasons[1].line).eq(1)
end)
