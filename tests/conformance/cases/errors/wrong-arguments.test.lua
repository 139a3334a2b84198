test("arguments that do not fit are errors", function(t)
  for command, line in { confirm = 2, send = 6, matches = 10 } do
    local r = t.tool_call{ tool = "bash", command = command }
    expect(r).denied("failed: ")
    expect(r.reasons[1].cause).eq("error")
    expect(r.reasons[1].line).eq(line)
  end
end)
