test("where nobody is, a question is no and a choice is none", function(t)
  t.headless()
  local r = t.tool_call{ tool = "bash", command = "ls" }
  expect(snaphook.json.decode(r.context[1].text)).eq{ confirm = false, selected = true, typed = true, edited = true, has_ui = false }
  expect(r.asked).eq{}
end)

test("and that is how a test starts", function(t)
  expect(snaphook.json.decode(t.tool_call{ tool = "bash", command = "ls" }.context[1].text).has_ui).eq(false)
end)
