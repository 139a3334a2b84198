test("a field that the event does not have is an error, never nothing", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).denied("tool_call events have no field `comand`; did you mean `command`\\? \\(fields: name, id, tool, ")
  expect(r.reasons[1].cause).eq("error")
  expect(r.reasons[1].line).eq(2)
end)
