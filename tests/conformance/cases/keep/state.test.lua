test("state is kept from event to event", function(t)
  for i = 1, 4 do
    expect(t.tool_call{ tool = "bash", command = "ls" }.context).eq{ { hook = "state", text = "call " .. i } }
  end
end)

test("each test starts with none", function(t)
  expect(t.tool_call{ tool = "bash", command = "ls" }.context).eq{ { hook = "state", text = "call 1" } }
end)
