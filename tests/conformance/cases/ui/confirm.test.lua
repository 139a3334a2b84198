test("a yes lets it through", function(t)
  t.ui{ confirm = { true } }
  local r = t.tool_call{ tool = "bash", command = "rm -rf build" }
  expect(r).allowed()
  expect(r).asked("^Recursive delete\n")
  expect(r.asked[1].message).eq("rm -rf build")
  expect(r.asked[1].kind).eq("confirm")
  expect(r.asked[1].answer).eq(true)
end)

test("a no does not", function(t)
  t.ui{ confirm = { false } }
  expect(t.tool_call{ tool = "bash", command = "rm -rf build" }).denied("^not approved$")
end)

test("nobody is a no", function(t)
  expect(t.tool_call{ tool = "bash", command = "rm -rf build" }).denied("^not approved$")
end)
