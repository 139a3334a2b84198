test("a member that ctx does not have is an error with a hint", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("ctx has no `hasUI`; did you mean ctx\\.has_ui\\?")
  expect(r.reasons[1].cause).eq("error")
  expect(r.reasons[1].line).eq(2)
end)
