test("a path and a text are texts", function(t)
  for _, wrong in { "path", "text", "empty" } do
    local r = t.tool_call{ tool = "bash", command = wrong }
    expect(r).denied("")
    expect(r.reasons[1].cause).eq("error")
  end
  expect(t.tool_call{ tool = "bash", command = "fine" }.decision).eq("allow")
end)
