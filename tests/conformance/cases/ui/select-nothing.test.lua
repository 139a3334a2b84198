test("a choice needs options", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("ctx\\.ui\\.select needs at least one option")
  expect(r.reasons[1].cause).eq("error")
end)
