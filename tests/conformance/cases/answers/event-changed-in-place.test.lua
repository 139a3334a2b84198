test("a change to the event that is not returned changes nothing", function(t)
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(r).allowed()
  expect(r).input{ command = "ls" }
  expect(r.context).eq{ { hook = "event-changed-in-place", text = "ls ls" } }
end)
