test("values nest", function(t)
  local input = { x = 1 }
  for _ = 1, 80 do
    input = { inner = input }
  end
  local r = t.tool_call{ tool = "mcp__a__b", input = input }
  expect(r).allowed()
  local here = r.input
  while here.inner do
    here = here.inner
  end
  expect(here.found).eq(80)
end)
