test("a choice is the text of the option", function(t)
  t.ui{ select = { "production" } }
  local r = t.tool_call{ tool = "bash", command = "deploy" }
  expect(r).allowed()
  expect(r).input{ command = "deploy production" }
  expect(r.asked[1].options).eq{ "staging", "production" }
end)

test("by number, and none", function(t)
  t.ui{ select = { 1, false } }
  expect(t.tool_call{ tool = "bash", command = "deploy" }).input{ command = "deploy staging" }
  expect(t.tool_call{ tool = "bash", command = "deploy" }).denied("^no place$")
end)
