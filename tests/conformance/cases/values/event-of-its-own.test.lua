test("what a script does to one event does not show in the next", function(t)
  for _ = 1, 3 do
    local r = t.tool_call{ tool = "bash", command = "ls" }
    expect(r.context[1].text).eq('["ls",{"command":"ls"},[]]')
    expect(r).input{ command = "ls" }
  end
end)
