test("what cannot be read is said to be so", function(t)
  for _, line in { "echo 'it never ends", "if true", "a ( b" } do
    local r = t.tool_call{ tool = "bash", command = line }
    expect(r).denied("^not understood: [0-9]+:[0-9]+: ")
    expect(r.reasons[1].cause).eq(nil)
  end
  expect(t.tool_call{ tool = "bash", command = "ls; pwd" }.context[1].text).eq("2")
end)
